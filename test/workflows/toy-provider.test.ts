/** A provider that the product does not know: it takes an adapter, its traits, and a line where the providers are listed. */
import { expect, test } from 'vitest';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const policy = { pool: { provider: 'toy', name: 'web' } };

test('a pool of another provider is replaced without a loss', async () => {
  const { world, harness, handle } = await upgradeOf({ policy, podSurge: {} }).start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect(world.pools.map(({ name }) => name)).toEqual(['web-new']);
});

test('one whose run is aborted gets back what was suspended, in the words of its provider', async () => {
  const upgrade = upgradeOf({ policy });
  await upgradeAndAbort(upgrade, { step: 'evictPods' });
  expectServedByOldPool(upgrade.world);
});
