/** A cloud that the product does not know: it takes adapters, traits, and a line each where providers and load balancers are listed. */
import { describe, expect, test } from 'vitest';
import { addIdlePool, scenarioPolicy } from '../simulator/scenario.ts';
import { toyCloud } from '../simulator/toy-provider.ts';
import type { World } from '../simulator/world.ts';
import { expectServedByOldPool, upgradeAndAbort, upgradeAndRollBack } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const policy = { pool: { provider: 'toy', name: 'web' } };

function toyUpgradeOf(scene: UpgradeScene) {
  const upgrade = upgradeOf(scene);
  upgrade.world.cloud = toyCloud;
  return upgrade;
}

test('a pool of another provider is replaced without a loss', async () => {
  const upgrade = toyUpgradeOf({ policy, podSurge: {} });
  const { world, harness, handle } = await upgrade.start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect(world.pools.map(({ name }) => name)).toEqual(['web-new']);
});

test('one whose run is aborted gets back what was suspended, in the words of its provider', async () => {
  const upgrade = toyUpgradeOf({ policy });
  await upgradeAndAbort(upgrade, { step: 'evictPods' });
  expectServedByOldPool(upgrade.world);
});

describe('a pool with three nodes in one zone and one in the other', () => {
  const needs = { 'eu-west-1a': 3, 'eu-west-1b': 1 };
  const unevenUpgrade = (change: UpgradeScene['policy'] = {}) => {
    const target = { ...scenarioPolicy().target, poolName: 'uneven-new' };
    const upgrade = toyUpgradeOf({ policy: { pool: { provider: 'toy', name: 'uneven' }, target, ...change } });
    addIdlePool(upgrade.world, 'uneven', 4, { needs });
    return upgrade;
  };
  const zonesOf = ({ nodes }: World, pool: string) => {
    const zones = nodes.flatMap((node) => (node.pool === pool ? [node.zone] : []));
    return Object.fromEntries(Object.keys(needs).map((zone) => [zone, zones.filter((one) => one === zone).length]));
  };

  test.each([
    ['at once', {}],
    ['in waves', { nodeSurge: { instances: 2 } }],
  ])('gets as many new ones in each, %s', async (_name, change) => {
    const { world, start } = unevenUpgrade(change);
    expect(zonesOf(world, 'uneven')).toEqual(needs);
    const { harness, handle } = await start();
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expect(zonesOf(world, 'uneven-new')).toEqual(needs);
    expectNothingLost(world);
    expectNothingLeft(world, 8);
  });

  test('has as many in each again when it is rolled back', async () => {
    const upgrade = unevenUpgrade({ guard: { maxInFlight: 1 } });
    await upgradeAndRollBack(upgrade, { step: 'terminateNode', nth: 3 });
    expect(zonesOf(upgrade.world, 'uneven')).toEqual(needs);
    expectNothingLost(upgrade.world);
    expectNothingLeft(upgrade.world, 8);
  });
});
