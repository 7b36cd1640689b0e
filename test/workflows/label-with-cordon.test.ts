/** A controller that reads the exclusion label of a node only when its cordon changes, as ingress-gce does for its instance groups. */
import { expect, test } from 'vitest';
import { serviceNamed } from '../simulator/disturbances.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

/** The controllers of both Services do. */
function withCordon(scene: UpgradeScene = {}) {
  const upgrade = upgradeOf(scene);
  for (const name of ['web', 'api']) serviceNamed(upgrade.world, name).readsLabelWithCordon = true;
  upgrade.world.changed();
  return upgrade;
}

test.each([
  ['evicts', {}],
  ['surges pods', { podSurge: {} }],
] as const)(
  'a run that %s has its nodes deregistered all the same, and nobody is said to have uncordoned them',
  async (_, scene) => {
    const { world, start } = withCordon(scene);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed' });
    expect(report.nodes.flatMap(({ externalChanges = [] }) => externalChanges.map(({ what }) => what))).toEqual([]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  },
);

test.each(someOf(['awaitDeregistered', 'awaitConnectionsDrained'], 1))(
  'nodes of a run that is aborted in %s are registered again',
  async (step) => {
    const upgrade = withCordon();
    const report = await upgradeAndAbort(upgrade, { step });
    const told = report.nodes.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'restored'));
    expect(told.map(({ detail }) => detail).join()).toContain('registered in k8s-default-web');
    expectServedByOldPool(upgrade.world);
  },
);
