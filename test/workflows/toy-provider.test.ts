/** A cloud that the product does not know: it takes adapters, traits, and a line each where providers and load balancers are listed. */
import { expect, test } from 'vitest';
import { toyCloud } from '../simulator/toy-provider.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
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
