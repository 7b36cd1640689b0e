import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import {
  type BalancersOrder,
  type BalancersRun,
  type BalancersScenario,
  balancersOrders,
  balancersScenarios,
  completeWith,
  type MeasuredBalancers,
  missed,
} from '../bench/balancers/measured.ts';
import { renderTable } from '../client/view/table.ts';
import { trustSimulatedGoogle } from '../demo/trust-google.ts';
import { runInterruptibly } from '../lab/interrupted.ts';
import { ensureTools } from './setup/ensure.ts';
import { projectRoot } from './setup/sources.ts';

interface BalancersOptions {
  readonly scenario: BalancersScenario;
  readonly orders: readonly BalancersOrder[];
  readonly docs: boolean;
}

function readOptions(argv: readonly string[]): BalancersOptions {
  const program = new Command('npm run bench:balancers --')
    .description('Replaces a pool behind load balancers of all kinds under traffic, and counts what each kind loses.')
    .addOption(new Option('--scenario <name>', 'of the lab').choices([...balancersScenarios]).default('gke-balancers'))
    .addOption(new Option('--orders <order...>', 'orders').choices([...balancersOrders]).default([...balancersOrders]))
    .option(
      '--docs',
      'write docs/measurements/SCENARIO.json, which keeps the other orders that it has; npm run gen makes docs/load-balancers.md of it',
      false,
    )
    .addHelpText(
      'after',
      `
Examples:
  $ npm run bench:balancers
  $ npm run bench:balancers -- --scenario eks-balancers --docs
  $ npm run bench:balancers -- --scenario gke-pods --orders late-controllers without-rule`,
    );
  program.parse([...argv]);
  return program.opts<BalancersOptions>();
}

async function bench({ scenario, orders, docs }: BalancersOptions, signal: AbortSignal): Promise<number> {
  await ensureTools({ need: ['packages', 'temporal', 'agents', 'kubernetes'], signal });
  if (scenario !== 'eks-balancers') trustSimulatedGoogle();
  const { openBalancersLab } = await import('../bench/balancers/runs.ts');
  const onProgress = (text: string) => process.stderr.write(`${text}\n`);
  const lab = await openBalancersLab(scenario, { signal, onProgress });
  const runs: BalancersRun[] = [];
  try {
    for (const order of orders) {
      const run = await lab.replacePool(order);
      runs.push(run);
      onProgress(renderTable(tableOf(run)).join('\n'));
      for (const text of run.unprotected) onProgress(`unprotected: ${text}`);
    }
  } finally {
    await lab.close();
  }
  const measured: MeasuredBalancers = {
    scenario,
    date: new Date().toISOString().slice(0, 10),
    host: describeHost(),
    runs,
  };
  if (docs) {
    const file = join(projectRoot, 'docs', 'measurements', `${scenario}.json`);
    const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MeasuredBalancers) : undefined;
    writeFileSync(file, `${JSON.stringify(completeWith(measured, earlier), null, 2)}\n`);
  }
  return 0;
}

function tableOf({ order, seconds, services }: BalancersRun): string[][] {
  const rows = Object.entries(services).map(([name, counts]) => [
    name,
    ...[counts.sent, counts.lost, counts.cut, counts.slow, missed(counts)].map(String),
  ]);
  return [[`${order} (${seconds} s)`, 'SENT', 'LOST', 'RESET', 'SLOW', 'MISSED'], ...rows];
}

function describeHost(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}

await runInterruptibly((signal) => bench(readOptions(process.argv), signal));
