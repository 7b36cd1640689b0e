/** Upgrades of a node pool of GKE that are aborted in each of their steps: the adapter as it is, and the simulated Google. */
import { describe, expect, test } from 'vitest';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectAborted, gkeUpgradeOf } from '../support/gke-upgrade.ts';
import { sceneWith, stepsOfUpgrade } from '../support/steps-of-upgrade.ts';

const between = ['suspendScaling', 'findLateJoiners'];

describe('a run that is aborted', () => {
  test.each(someOf([...stepsOfUpgrade, ...between], 3))('at %s leaves each pool as its owner chose', async (step) => {
    const upgrade = await gkeUpgradeOf(sceneWith(step));
    const old = upgrade.world.nodes.map(({ name }) => name);
    const report = await upgradeAndAbort(upgrade, { step });
    expect(report.leftovers).toEqual([]);
    expectAborted(
      upgrade,
      report.nodes.filter(({ step, node }) => step === 'replaced' && old.includes(node.name)).length,
    );
  });
});
