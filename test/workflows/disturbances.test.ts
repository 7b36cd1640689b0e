/** A disturbance during an upgrade loses no more requests than it loses without one. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import {
  breakApi,
  excludedNodes,
  flap,
  removeLabel,
  rollOut,
  scaleTo,
  serviceNamed,
  setBudget,
} from '../simulator/disturbances.ts';
import { registerInSpiteOfLabel } from '../simulator/load-balancer.ts';
import { createScenario } from '../simulator/scenario.ts';
import { someOf, variation } from '../support/extent.ts';
import { onceBefore } from '../support/once-before.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** Requests that a probe may lose before the run pauses: more than any disturbance here loses by itself. */
const patient = { policy: { traffic: { lossBudget: 1_000_000 } } };

async function disturb(start: Upgrade['start'], step: string, happen: () => void): Promise<RunReport> {
  const { harness, handle } = await start({ before: onceBefore(step, happen) });
  return await harness.finish(handle);
}

/** Steps in which nodes are about to be excluded, or in progress. */
const stepsUnderWay = [
  'excludeNext',
  'awaitDeregistered',
  'awaitConnectionsDrained',
  'evictPods',
  'removeEndpoints',
] as const;

describe('a readiness flap of a whole Service', () => {
  test.each(someOf(stepsUnderWay, 1))(
    'at %s: no node is excluded while it lasts, and the upgrade completes',
    async (step) => {
      const { world, start } = upgradeOf(patient);
      let during: readonly string[] | undefined;
      let after: readonly string[] | undefined;
      const names = () => excludedNodes(world).map(({ name }) => name);
      const report = await disturb(start, step, () => {
        during = names();
        flap(world, 'web', 12_000);
        world.clock.at(world.clock.now() + 20_000, () => {
          after = names();
        });
      });
      expect(report.outcome).toBe('completed');
      expect(after?.filter((name) => during?.includes(name) !== true)).toEqual([]);
      expect(world.violations, world.log.join('\n')).toEqual([]);
      expectNothingLeft(world, 4);
    },
  );
});

describe('a workload that is scaled', () => {
  test('from 4 to 12 with a budget keeps what the budget demands now', async () => {
    const { world, start } = upgradeOf(patient);
    let fewest = Number.POSITIVE_INFINITY;
    setBudget(world, 'web', 3);
    const report = await disturb(start, 'excludeNext', () => {
      scaleTo(world, 'web', 12);
      world.clock.at(world.clock.now() + 30_000, () => {
        world.clock.onPassage(() => {
          const out = new Set(excludedNodes(world).map(({ name }) => name));
          const reached = world.pods.filter((pod) => pod.of === 'web' && pod.ready && !out.has(pod.node ?? ''));
          fewest = Math.min(fewest, reached.length);
        });
      });
    });
    expect(report.outcome).toBe('completed');
    expect(fewest).toBeGreaterThanOrEqual(9);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(
    someOf(
      [
        ['12 to 4', 12, 4, 1],
        ['6 to 5', 6, 5, 1],
      ],
      1,
    ),
  )('from %s, one missing at a time, ends without an operator', async (_, from, to, spared) => {
    const { world, start } = upgradeOf({ ...patient, preStopSeconds: 20 });
    scaleTo(world, 'web', from);
    setBudget(world, 'web', spared * Math.ceil(from / 4));
    world.clock.advance(5 * 60_000);
    const report = await disturb(start, 'awaitConnectionsDrained', () => scaleTo(world, 'web', to));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation.each([
    ['up', 8],
    ['down', 2],
  ])('%s without a budget ends without an operator', async (_, replicas) => {
    const { world, start } = upgradeOf({ ...patient, preStopSeconds: 20 });
    world.budgets = [];
    const report = await disturb(start, 'evictPods', () => scaleTo(world, 'web', replicas));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a rollout', () => {
  test.each(someOf(['excludeNext', 'evictPods'], 1))(
    'that begins at %s blocks further nodes, loses nothing, as it loses nothing alone, and ends',
    async (step) => {
      const alone = createScenario({ preStopSeconds: 20 });
      rollOut(alone, 'web');
      alone.clock.advance(5 * 60_000);
      expectNothingLost(alone);
      const { world, start } = upgradeOf({ ...patient, preStopSeconds: 20 });
      const report = await disturb(start, step, () => rollOut(world, 'web'));
      expect(report.outcome).toBe('completed');
      expect(world.pods.filter((pod) => pod.of === 'web').map((pod) => pod.version)).toEqual([2, 2, 2, 2]);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test('while connections drain loses only what load balancers still send to pods that it has deleted, and blocks all other nodes', async () => {
    const { world, start } = upgradeOf({ ...patient, preStopSeconds: 20 });
    let rollingOut: readonly string[] | undefined;
    const outDuring = new Set<string>();
    const report = await disturb(start, 'awaitConnectionsDrained', () => {
      rollingOut = excludedNodes(world).map(({ name }) => name);
      rollOut(world, 'web');
      world.clock.onPassage(() => {
        if (world.pods.every((pod) => pod.of !== 'web' || pod.version === 2)) return;
        for (const { name } of excludedNodes(world)) outDuring.add(name);
      });
    });
    expect(report.outcome).toBe('completed');
    expect([...outDuring].filter((name) => rollingOut?.includes(name) !== true)).toEqual([]);
    expect(world.violations, world.log.join('\n')).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('somebody removes the exclude label', () => {
  const steps = [
    'awaitDeregistered',
    'awaitConnectionsDrained',
    'evictPods',
    'awaitReplacements',
    'removeEndpoints',
    'awaitForwardedConnections',
    'terminateNode',
  ] as const;
  test.each(someOf(steps, 2))(
    'at %s: the connections of the node drain once more before anything else is done to it',
    async (step) => {
      const { world, start } = upgradeOf(patient);
      const report = await disturb(start, step, () => {
        const [node] = excludedNodes(world);
        if (node !== undefined) removeLabel(world, node);
      });
      expect(report.outcome).toBe('completed');
      expect(
        report.nodes
          .flatMap((node) => node.externalChanges ?? [])
          .map(({ what }) => what)
          .join('\n'),
      ).toMatch(/removed the exclude label/);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  variation('and a cordon: both are set again and reported', async () => {
    const { world, start } = upgradeOf(patient);
    const report = await disturb(start, 'awaitConnectionsDrained', () => {
      for (const node of world.nodes) if (node.pool === 'web') node.cordoned = false;
      world.changed();
    });
    expect(report.outcome).toBe('completed');
    const told = [...report.externalChanges, ...report.nodes.flatMap((node) => node.externalChanges ?? [])];
    expect(told.map(({ what }) => what).join('\n')).toMatch(/uncordoned/);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

test('a new node that somebody excludes does not count as capacity, and is reported', async () => {
  const { world, start } = upgradeOf(patient);
  const label = 'node.kubernetes.io/exclude-from-external-load-balancers';
  const report = await disturb(start, 'excludeNext', () => {
    const node = world.nodes.find(({ pool }) => pool === 'web-new');
    if (node === undefined) return;
    node.labels[label] = 'true';
    world.changed();
    world.clock.at(world.clock.now() + 10 * 60_000, () => {
      delete node.labels[label];
      world.changed();
    });
  });
  expect(report.outcome).toBe('completed');
  expect(report.externalChanges.map(({ what }) => what).join('\n')).toMatch(/somebody excluded new node/);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

describe('a node that is registered again despite its label', () => {
  test.each(someOf(['awaitConnectionsDrained', 'evictPods', 'removeEndpoints', 'terminateNode'], 1))(
    'at %s gets its label again, and nothing is lost',
    async (step) => {
      const { world, start } = upgradeOf(patient);
      const report = await disturb(start, step, () => {
        const [node] = excludedNodes(world);
        if (node !== undefined) registerInSpiteOfLabel(world, serviceNamed(world, 'web'), node.instanceId);
      });
      expect(report.outcome).toBe('completed');
      const told = report.nodes.flatMap((node) => node.externalChanges ?? []).map(({ what }) => what);
      expect(told.join('\n')).toMatch(/despite its label/);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test('because the AWS Load Balancer Controller skipped a target that was unhealthy.draining: it is not excluded then', async () => {
    const { world, start } = upgradeOf(patient);
    const web = serviceNamed(world, 'web');
    web.controller = 'aws-load-balancer-controller';
    web.unhealthyDrainingMs = 60_000;
    const report = await disturb(start, 'excludeNext', () => flap(world, 'web', 30_000));
    expect(report.outcome).toBe('completed');
    expect(world.violations, world.log.join('\n')).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('an API server that is away for 15 s', () => {
  const steps = [
    'excludeNext',
    'awaitConnectionsDrained',
    'evictPods',
    'awaitReplacements',
    'removeEndpoints',
    'terminateNode',
  ];

  // Both kinds of pods, and each step once: what a step does does not depend on the pods of another one.
  test.each(
    someOf(
      steps.map((step, index) => ({ step, preStopSeconds: index % 2 === 0 ? 0 : 10 })),
      4,
    ),
  )(
    'at $step, with pods that continue to serve for $preStopSeconds s: no node is excluded before observations are stable, and nothing is lost',
    async ({ step, preStopSeconds }) => {
      const { world, policy, start } = upgradeOf({ ...patient, preStopSeconds });
      let excludedAfter: readonly string[] | undefined;
      const { harness, handle } = await start({
        before: onceBefore(step, () => {
          const before = excludedNodes(world).map(({ name }) => name);
          breakApi(world, 15_000);
          world.clock.at(world.clock.now() + 15_000 + policy.waits.stabilizationAfterOutageMs - 1_000, () => {
            excludedAfter = excludedNodes(world)
              .map(({ name }) => name)
              .filter((name) => !before.includes(name));
          });
        }),
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(excludedAfter).toEqual([]);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});
