import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type BenchReport, benchRows, renderPage } from '../bench/page.ts';
import { type BenchOrder, type BenchRun, benchOrders, type Refusal, runOrders } from '../bench/runs.ts';
import { renderTable } from '../client/view/table.ts';
import { runInterruptibly } from '../lab/interrupted.ts';
import { ensureTools } from './setup/ensure.ts';
import { projectRoot } from './setup/sources.ts';

/** The longest that an upgrade may take, as a multiple of its lower bound. */
const maxOfLowerBound = 1.25;

interface BenchOptions {
  readonly nodes: readonly number[];
  readonly orders: readonly BenchOrder[];
  readonly report: string | undefined;
  readonly docs: boolean;
}

function readOptions(argv: readonly string[]): BenchOptions {
  const program = new Command('npm run bench --')
    .description(
      'Replaces pools of the lab in the orders of nodeferry and of other tools under traffic, and compares loss, time and cost.',
    )
    .option('--nodes <sizes>', 'sizes of the pool, from 2 to 8', readSizes, [2, 4, 8])
    .addOption(
      new Option('--orders <order...>', 'orders to compare').choices([...benchOrders]).default([...benchOrders]),
    )
    .option('--report <file>', 'also write the figures as JSON')
    .option('--docs', 'write docs/performance.md', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run bench\n  $ npm run bench -- --nodes 4 --orders pod-surge serial\n  $ npm run bench -- --report bench.json --docs',
    );
  program.parse([...argv]);
  const { report, ...options } = program.opts<Omit<BenchOptions, 'report'> & { report?: string }>();
  return { ...options, report };
}

function readSizes(text: string): readonly number[] {
  const sizes = text.split(',').map(Number);
  if (sizes.every((size) => Number.isInteger(size) && size >= 2 && size <= 8)) return sizes;
  throw new InvalidArgumentError('whole numbers from 2 to 8, such as 2,4,8.');
}

async function bench({ nodes, orders, report: file, docs }: BenchOptions, signal: AbortSignal): Promise<number> {
  await ensureTools({ need: ['packages', 'temporal', 'agents', 'kubernetes'], signal });
  const runs: BenchRun[] = [];
  const refused: Refusal[] = [];
  const onProgress = (text: string) => process.stderr.write(`${text}\n`);
  for (const size of nodes) {
    await runOrders(size, orders, {
      signal,
      onProgress,
      onRun: (run) => {
        runs.push(run);
        onProgress(`  ${benchRows([run])[1]?.join('  ') ?? ''}`);
      },
      onRefused: (refusal) => {
        refused.push(refusal);
        onProgress(`  refused: ${refusal.why}`);
      },
    });
  }
  const report: BenchReport = { ...place(), runs, refused };
  console.log(renderTable(benchRows(runs).map((row) => [...row])).join('\n'));
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  if (docs) writeFileSync(join(projectRoot, 'docs', 'performance.md'), renderPage(report));
  const broken = runs.flatMap(printBroken);
  for (const what of broken) console.error(what);
  return broken.length === 0 ? 0 : 1;
}

function place(): Omit<BenchReport, 'runs' | 'refused'> {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return {
    machine: `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${gigabytes} GB`,
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The guarantees of nodeferry that a run of it did not keep. */
function printBroken(run: BenchRun): readonly string[] {
  const { nodes, order, requests, durationSeconds, lowerBoundSeconds } = run;
  if (lowerBoundSeconds === undefined) return [];
  const what = `${nodes} nodes, ${order}`;
  const bad = requests.lost + requests.cut + requests.slow;
  const ratio = durationSeconds / lowerBoundSeconds;
  return [
    ...(bad > 0 ? [`${what}: ${bad} requests lost, reset or slow`] : []),
    ...(ratio > maxOfLowerBound ? [`${what}: ${ratio.toFixed(2)} × its bound, limit ${maxOfLowerBound}`] : []),
  ];
}

await runInterruptibly((signal) => bench(readOptions(process.argv), signal));
