/** Upgrades on GKE whose new pool exists already: the adapter as it is, and the simulated Google. */
import { describe, expect, test } from 'vitest';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { gkeUpgradeOf } from '../support/gke-upgrade.ts';
import { expectNothingLost } from '../support/run-checks.ts';

/** The pools with what their owner sees of them: how many VMs each zone has, and how each scales. */
function poolsOf({ gcp, cluster }: Awaited<ReturnType<typeof gkeUpgradeOf>>) {
  const pools = gcp.model.clusters.get(cluster)?.pools ?? new Map();
  return Object.fromEntries(
    [...pools.values()].map(({ name, spec: { autoscaling, management }, groups }) => {
      const { enabled, minNodeCount, maxNodeCount } = autoscaling ?? {};
      const sizes = groups.map((group: string) => gcp.model.groups.get(group)?.targetSize);
      return [name, { sizes, autoscaling: { enabled, minNodeCount, maxNodeCount }, management }];
    }),
  );
}

describe('a node pool of GKE that exists already', () => {
  test.each([
    ['takes over as it is when it is large enough', 4],
    ['grows to the size of the old one when it is smaller', 2],
  ])('%s', async (_, adopted) => {
    const upgrade = await gkeUpgradeOf({ adopted });
    const before = poolsOf(upgrade)['web-new'];
    const { harness, handle } = await upgrade.start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed', leftovers: [] });
    expectNothingLost(upgrade.world);
    expect(poolsOf(upgrade)).toEqual({ 'web-new': { ...before, sizes: [2, 2] } });
  });

  test('stays as it was found when the run is aborted', async () => {
    const upgrade = await gkeUpgradeOf({ adopted: 4 });
    const before = poolsOf(upgrade);
    const report = await upgradeAndAbort(upgrade, { step: 'evictPods' });
    expect(report.leftovers).toEqual([]);
    expectNothingLost(upgrade.world);
    expect(poolsOf(upgrade)).toEqual(before);
  });
});
