/** A pool that is replaced under its own name: the nodes that it had when the run began are the old ones, all that come later are new. */
import { describe, expect, test } from 'vitest';
import { rollbackUpdate, skipUpdate } from '../../workflows/messages.ts';
import { fillPool } from '../simulator/pools.ts';
import type { World } from '../simulator/world.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { losingEachAnswer } from '../support/losing-answers.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const oldNames = ['ip-10-0-0-1', 'ip-10-0-0-2', 'ip-10-0-0-3', 'ip-10-0-0-4'];

/** The pool `web` of the toy provider, to be replaced by itself. */
function inPlace({ policy, ...scene }: UpgradeScene = {}): Upgrade {
  const target = { poolName: 'web', version: 'v1.36.3' };
  return upgradeOf({ ...scene, policy: { pool: { provider: 'toy', name: 'web' }, target, ...policy } });
}

/** Only the new nodes are there, in a pool of the size and limits that it had. */
function expectReplaced(world: World): void {
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  const [pool, ...others] = world.pools;
  expect(others).toEqual([]);
  expect(pool).toMatchObject({ name: 'web', version: 'v1.36.3', desiredSize: 4, minSize: 1, maxSize: 8 });
  expect(pool).not.toHaveProperty('before');
  expect(world.nodes.map(({ kubeletVersion }) => kubeletVersion)).toEqual(Array(4).fill('v1.36.3'));
  expect(world.nodes.filter(({ name }) => oldNames.includes(name))).toEqual([]);
  expect(world.terminations.size).toBe(4);
}

/** The old nodes serve as if nothing had been, and no new one is left. */
function expectAsBefore(world: World): void {
  expectServedByOldPool(world);
  expect(world.nodes.map(({ name }) => name).toSorted()).toEqual(oldNames);
  expect(world.pools[0]).not.toHaveProperty('before');
}

describe('a pool that is replaced in place', () => {
  test.each<[string, UpgradeScene]>([
    ['by eviction', {}],
    ['with pod surge', { podSurge: {} }],
    ['in waves', { podSurge: {}, policy: { nodeSurge: { instances: 2 } } }],
  ])('ends with new nodes only, %s', async (_name, scene) => {
    const { world, start } = inPlace(scene);
    const sizes: number[] = [];
    const incoming = new Set<string | undefined>();
    world.clock.onPassage(() => {
      sizes.push(world.pools[0]?.desiredSize ?? 0);
      for (const lease of world.leases.values()) incoming.add(lease.incomingPool);
    });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.leftovers).toEqual([]);
    expectReplaced(world);
    // Other runs go on counting the old nodes, which have the name of the new ones.
    expect([...incoming]).toEqual([undefined]);
    expect(Math.max(...sizes)).toBe(scene.policy?.nodeSurge === undefined ? 8 : 6);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(4);
  });

  variation('loses nothing and replaces no node twice when every step loses its first response', async () => {
    const { world, start } = inPlace();
    const { handle } = await start({ after: losingEachAnswer() });
    expect((await handle.result()).outcome).toBe('completed');
    expectReplaced(world);
  });

  test('keeps a node that is skipped, and as many new ones as were replaced', async () => {
    const { world, start } = inPlace({ policy: { guard: { maxInFlight: 1 } } });
    let asked: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'cordonNodes')
          asked ??= handle.executeUpdate(skipUpdate, { args: [{ by: 'ann', reason: 'pinned', node: 'ip-10-0-0-2' }] });
      },
    });
    const report = await harness.finish(handle);
    await asked;
    expect(report.outcome).toBe('completed');
    expect(report.leftovers).toEqual([
      expect.stringMatching(/web keeps ip-10-0-0-2 .*: start another upgrade of web$/),
    ]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pools[0]).toMatchObject({ version: 'v1.36.3', desiredSize: 4, minSize: 1, maxSize: 8 });
    expect(world.nodes.filter(({ name }) => oldNames.includes(name)).map(({ name }) => name)).toEqual(['ip-10-0-0-2']);
  });
});

describe('an abort removes the new nodes, and the old ones serve', () => {
  test.each(someOf(['createPool', 'awaitNodesReady', 'cordonNodes', 'evictPods', 'awaitForwardedConnections'], 2))(
    'at %s',
    async (step) => {
      const upgrade = inPlace();
      const report = await upgradeAndAbort(upgrade, { step });
      expect(report.leftovers).toEqual([]);
      expectAsBefore(upgrade.world);
    },
  );

  variation('with pod surge', async () => {
    const upgrade = inPlace({ podSurge: {} });
    await upgradeAndAbort(upgrade, { step: 'evictPods' });
    expectAsBefore(upgrade.world);
  });

  variation('while the cloud has no capacity for all of them', async () => {
    const upgrade = inPlace();
    upgrade.world.faults.capacity = 6;
    await upgradeAndAbort(upgrade, { step: 'awaitNodesReady' });
    expectAsBefore(upgrade.world);
  });

  test('except for those that stand in for old ones that are gone', async () => {
    const upgrade = inPlace({ policy: { guard: { maxInFlight: 1 } } });
    const { world } = upgrade;
    await upgradeAndAbort(upgrade, { step: 'evictPods', nth: 3 });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pools[0]).toMatchObject({ version: 'v1.35.9', desiredSize: 4, minSize: 1, maxSize: 8 });
    expect(world.nodes.filter(({ name }) => oldNames.includes(name)).length).toBeLessThan(4);
  });

  variation('when every step loses its first response', async () => {
    const upgrade = inPlace();
    await upgradeAndAbort(upgrade, { step: 'evictPods' }, { after: losingEachAnswer() });
    expectAsBefore(upgrade.world);
  });
});

test('a rollback is refused, because the pool makes only new nodes by then', async () => {
  const { world, start } = inPlace();
  let refused: Promise<unknown> | undefined;
  const { harness, handle } = await start({
    before: (step) => {
      if (step === 'evictPods')
        refused ??= handle
          .executeUpdate(rollbackUpdate, { args: [{ by: 'ann', reason: 'because' }] })
          .catch((error: unknown) => error);
    },
  });
  expect((await harness.finish(handle)).outcome).toBe('completed');
  expect(await refused).toMatchObject({ cause: { message: expect.stringContaining('is replaced in place') } });
  expectReplaced(world);
});

test('an instance that joined after the plan and before the pool changed ends the run, which leaves it alone', async () => {
  const { world, start } = inPlace();
  const { handle } = await start({
    before: (step) => {
      if (step === 'acquireLock') scaleUp(world);
    },
  });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'PlanOutdated', message: expect.stringContaining('i-5 joined it') },
  });
  expectNothingLost(world);
  expect(world.terminations.size).toBe(0);
  expect([...world.leases.keys()]).toEqual([]);
  expect(world.pools[0]).toMatchObject({ version: 'v1.35.9', desiredSize: 5, minSize: 1, suspended: [] });
});

test.each([
  ['eks', /INF-020 pool web: nodeferry replaces no EKS node group under its own name/],
  ['none', /INF-020 pool web: no cloud is known that could change its nodes/],
])('a pool of provider %s is not replaced in place', async (provider, message) => {
  const { world, start } = inPlace({ policy: { pool: { provider, name: 'web' } } });
  const { handle } = await start();
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringMatching(message) },
  });
  expectNothingLeft(world, 4);
});

/** Somebody has the pool grow by one. */
function scaleUp(world: World): void {
  const [pool] = world.pools;
  if (pool === undefined || pool.desiredSize > 4) return;
  pool.desiredSize += 1;
  fillPool(world, pool);
}
