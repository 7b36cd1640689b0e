/** Nodes are drained under live traffic, by the command as a user types it: nothing is lost. `kubectl drain` loses on the same lab. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { until } from '../../lab/process.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { type LabOperator, labPool, operatorOf } from '../support/lab-operator.ts';
import { describeLosses, type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
let upgrades: LabUpgrades;
let operator: LabOperator;
beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
  operator = operatorOf(upgrades.session);
});
afterAll(async () => {
  await upgrades?.close();
});
beforeEach(async () => {
  await upgrades.beginClean();
});

/** A node of the lab, as `kubectl get -o json` prints it. */
interface SeenNode {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly unschedulable?: boolean };
}

/** Nodes of the pool in the order of their names, which alternates between the zones. */
async function nodesOfPool(): Promise<readonly SeenNode[]> {
  const text = await operator.kubectl('get', 'nodes', '-l', 'eks.amazonaws.com/nodegroup=web', '-o', 'json');
  const { items } = JSON.parse(text) as { readonly items: readonly SeenNode[] };
  const place = ({ metadata: { name } }: SeenNode) => name.split('-').slice(3, 5).reverse().join();
  return items.toSorted((a, b) => place(a).localeCompare(place(b)));
}

async function podsOn(node: string): Promise<readonly string[]> {
  const field = `spec.nodeName=${node},status.phase=Running`;
  const columns = 'custom-columns=:.metadata.name';
  const text = await operator.kubectl('get', 'pods', '-n', 'default', '--field-selector', field, '-o', columns);
  return text.split('\n').filter((line) => line !== '');
}

async function reportOfDrain(): Promise<RunReport> {
  return JSON.parse((await operator.nodeferry('report', labPool, '-o', 'json')).stdout) as RunReport;
}

async function expectNothingLost(): Promise<void> {
  const losses = await upgrades.losses();
  expect(losses.requests, describeLosses(losses)).toMatchObject({ lost: 0, cut: 0, slow: 0 });
  expect(losses.requests.sent).toBeGreaterThan(2_000);
}

describe('under traffic', () => {
  test('two nodes are drained, and return to service by the commands that the report names', async () => {
    const nodes = (await nodesOfPool()).slice(0, 2).map(({ metadata }) => metadata.name);
    const ended = await operator.nodeferry('drain', ...nodes, '-f', operator.writePolicy(), '--ignore-daemonsets');
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    await expectNothingLost();

    const report = await reportOfDrain();
    expect(report.nodes.map(({ step }) => step)).toEqual(['drained', 'drained']);
    for (const { metadata, spec } of (await nodesOfPool()).filter(({ metadata: { name } }) => nodes.includes(name))) {
      expect(spec.unschedulable).toBe(true);
      expect(metadata.labels).toHaveProperty([excludeLabel], 'true');
      expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('nodeferry'))).toEqual([]);
      expect((await podsOn(metadata.name)).filter((name) => /^(?:web|api)-/.test(name))).toEqual([]);
    }

    const [, commands = ''] = /To use it again: (.*)$/m.exec(report.leftovers[0] ?? '') ?? [];
    for (const node of nodes)
      for (const command of commands.replaceAll('NODE', node).split('; '))
        await operator.kubectl(...command.split(' ').slice(1));
    for (const { metadata, spec } of await nodesOfPool()) {
      expect(spec.unschedulable).toBeUndefined();
      expect(metadata.labels).not.toHaveProperty([excludeLabel]);
    }
    // The load balancers take their time to register them again, and others may leave only then.
    const last = (await nodesOfPool()).at(-1)?.metadata.name ?? '';
    const ask = ['drain', last, '-f', operator.writePolicy(), '--dry-run'] as const;
    await until(async () => ((await operator.nodeferry(...ask)).code === 0 ? true : undefined), {
      what: 'the nodes that returned are not registered again',
      timeoutMs: 120_000,
      everyMs: 2_000,
    });
  });

  test('one node is drained and terminated, and its group gets smaller by it', async () => {
    const before = await nodesOfPool();
    const full = before.at(-1)?.metadata.name ?? '';
    const ended = await operator.nodeferry(
      'drain',
      full,
      '-f',
      operator.writePolicy(),
      '--terminate',
      '--yes',
      '--region',
      'eu-west-1',
    );
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    await expectNothingLost();

    expect((await reportOfDrain()).nodes.map(({ step }) => step)).toEqual(['removed']);
    expect((await nodesOfPool()).map(({ metadata }) => metadata.name)).toEqual(
      before.map(({ metadata }) => metadata.name).filter((name) => name !== full),
    );
  });

  test('kubectl drain loses requests', async () => {
    const hosts = await Promise.all(
      (await nodesOfPool()).map(async ({ metadata: { name } }) => ({ name, pods: await podsOn(name) })),
    );
    const full = hosts.find(({ pods }) => pods.some((name) => name.startsWith('web-')))?.name ?? '';
    await operator.kubectl('drain', full, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=180s');
    const losses = await upgrades.losses();
    process.stderr.write(`kubectl drain: ${describeLosses(losses)}\n`);
    expect(losses.requests.lost + losses.requests.cut).toBeGreaterThan(3);
  });
});
