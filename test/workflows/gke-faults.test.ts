/** Upgrades of a node pool of GKE whose calls to Google fail, are lost, or have to wait: the adapter as it is, and the simulated Google. */
import { expect, test } from 'vitest';
import { expectReplaced, gkeUpgradeOf } from '../support/gke-upgrade.ts';

test('an upgrade on GKE that nothing disturbs completes', async () => {
  const upgrade = await gkeUpgradeOf();
  const { harness, handle } = await upgrade.start();
  const report = await harness.finish(handle);
  expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
  expectReplaced(upgrade);
});
