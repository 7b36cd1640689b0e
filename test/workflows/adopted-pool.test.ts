/** A run whose new pool exists already: it uses the nodes that are there, adds what is missing, and never deletes the pool. */
import { describe, expect, test } from 'vitest';
import { addIdlePool } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { upgradeAndAbort, upgradeAndRollBack } from '../support/abort-run.ts';
import { someOf, variation, variations } from '../support/extent.ts';
import { losingEachAnswer } from '../support/losing-answers.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

/** Pool `web-new` has so many nodes of the new version before the run, and somebody else has made it. */
function adoptionOf(size: number, { policy, ...scene }: UpgradeScene = {}, provider = 'toy'): Upgrade {
  const upgrade = upgradeOf({
    ...scene,
    policy: { pool: { provider, name: 'web' }, adoptTarget: true, ...policy },
  });
  addIdlePool(upgrade.world, 'web-new', size, { version: 'v1.36.3', minSize: Math.min(1, size) });
  return upgrade;
}

const nodesOf = (world: World, pool: string) =>
  world.nodes.flatMap((node) => (node.pool === pool ? [node.name] : [])).toSorted();

const poolOf = (world: World, name: string) => {
  const { status, desiredSize, minSize, maxSize, createdBy } = world.pools.find((pool) => pool.name === name) ?? {};
  return { status, desiredSize, minSize, maxSize, createdBy };
};

/** What an abort restores of the adopted pool. */
const foundIn = (world: World) => ({ pool: poolOf(world, 'web-new'), nodes: nodesOf(world, 'web-new') });

describe.each(['toy', 'eks'])('a pool of provider %s that exists already', (provider) => {
  test('takes over as it is when it is large enough', async () => {
    const { world, start } = adoptionOf(4, {}, provider);
    const found = foundIn(world);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.instanceMinutes).toBe(0);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pools.map(({ name }) => name)).toEqual(['web-new']);
    expect(foundIn(world)).toEqual(found);
  });

  test('grows to the size of the old one when it is smaller', async () => {
    const { world, start } = adoptionOf(2, {}, provider);
    const found = foundIn(world);
    const { harness, handle } = await start();
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(poolOf(world, 'web-new')).toEqual({ ...found.pool, desiredSize: 4 });
    expect(nodesOf(world, 'web-new')).toEqual(expect.arrayContaining(found.nodes));
  });
});

test('a pool that exists already is used with pod surge, and in waves', async () => {
  const { world, start } = adoptionOf(1, { podSurge: {}, policy: { nodeSurge: { instances: 2 } } });
  const sizes: number[] = [];
  const { harness, handle } = await start({
    after: (step) => {
      if (step === 'resizePool') sizes.push(poolOf(world, 'web-new').desiredSize ?? 0);
    },
  });
  expect((await harness.finish(handle)).outcome).toBe('completed');
  expect(sizes).toEqual([4]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

describe('an abort leaves the adopted pool as it was found', () => {
  test.each(
    someOf(
      [
        ['that was large enough, at the first eviction', 4, 'evictPods'],
        ['that was large enough, right before the first termination', 4, 'awaitForwardedConnections'],
        ['that had grown, at the first eviction', 2, 'evictPods'],
        ['that had grown, right before the first termination', 2, 'awaitForwardedConnections'],
        ['that had no nodes, while its new ones start', 0, 'awaitNodesReady'],
      ],
      2,
    ),
  )('%s', async (_name, size, step) => {
    const upgrade = adoptionOf(size);
    const { world } = upgrade;
    const found = foundIn(world);
    const report = await upgradeAndAbort(upgrade, { step });
    expect(report.leftovers).toEqual([]);
    expectNothingLost(world);
    expectNothingLeft(world, 4 + size);
    expect(foundIn(world)).toEqual(found);
    expect(nodesOf(world, 'web')).toHaveLength(4);
  });

  variation('except for the nodes that stand in for those that were replaced', async () => {
    const upgrade = adoptionOf(1, { policy: { guard: { maxInFlight: 1 } } });
    const { world } = upgrade;
    const { nodes, pool } = foundIn(world);
    await upgradeAndAbort(upgrade, { step: 'evictPods', nth: 3 });
    const left = nodesOf(world, 'web').length;
    expect(left).toBeLessThan(4);
    expectNothingLost(world);
    expectNothingLeft(world, 5);
    expect(poolOf(world, 'web-new')).toEqual({ ...pool, desiredSize: 5 - left });
    expect(nodesOf(world, 'web-new')).toEqual(expect.arrayContaining(nodes));
  });

  variation('also where the cloud had no capacity for all that it lacked', async () => {
    const upgrade = adoptionOf(2);
    const { world } = upgrade;
    const found = foundIn(world);
    world.faults.capacity = 7;
    await upgradeAndAbort(upgrade, { step: 'awaitNodesReady' });
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(foundIn(world)).toEqual(found);
  });
});

describe('a rollback brings the old pool back and keeps the adopted one', () => {
  test.each(someOf([4, 2], 1))('of %i nodes', async (size) => {
    const upgrade = adoptionOf(size, { policy: { guard: { maxInFlight: 1 } } });
    const { world } = upgrade;
    const found = foundIn(world);
    const report = await upgradeAndRollBack(upgrade, { step: 'evictPods', nth: 3 });
    expect(report.leftovers).toEqual([
      expect.stringMatching(/^web-new keeps the nodes that it had before the run, and the pods on them/),
    ]);
    expectNothingLost(world);
    expectNothingLeft(world, 4 + size);
    expect(foundIn(world)).toEqual(found);
    expect(nodesOf(world, 'web')).toHaveLength(4);
  });
});

variations('steps that run more than once', () => {
  test('adopt the pool once', async () => {
    const { world, start } = adoptionOf(2);
    const { handle } = await start({ after: losingEachAnswer() });
    expect((await handle.result()).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('leave it as it was found', async () => {
    const upgrade = adoptionOf(2);
    const { world } = upgrade;
    const found = foundIn(world);
    await upgradeAndAbort(upgrade, { step: 'evictPods' }, { after: losingEachAnswer() });
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(foundIn(world)).toEqual(found);
  });
});

test('a pool that does not exist is not created instead', async () => {
  const { world, start } = upgradeOf({ policy: { adoptTarget: true } });
  const { handle } = await start();
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('there is no pool web-new to adopt') },
  });
  expectNothingLeft(world, 4);
});
