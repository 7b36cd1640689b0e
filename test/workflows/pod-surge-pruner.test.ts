/** A GitOps tool prunes pods without an owner: released pods have none, and pods that were removed from endpoints by a label of their ReplicaSet. */
import { expect, test } from 'vitest';
import { markAsInstance, prune } from '../simulator/pruner.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

function prunedUpgrade(obeys: boolean, lossBudget = 10) {
  const upgrade = upgradeOf({ podSurge: {}, policy: { traffic: { lossBudget } } });
  const { world } = upgrade;
  markAsInstance(world, 'shop');
  prune(world, { obeys });
  return upgrade;
}

const pruned = /is pruned$/;

test('a pruner keeps released pods, and nothing is lost', async () => {
  const { world, start } = prunedUpgrade(true);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(world.log.filter((line) => pruned.test(line))).toEqual([]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('a pruner keeps pods that are removed from endpoints and not surged, and nothing is lost', async () => {
  const { world, start } = upgradeOf();
  markAsInstance(world, 'shop');
  prune(world, { obeys: true });
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(world.log.some((line) => line.endsWith('removed from endpoints'))).toBe(true);
  expect(world.log.filter((line) => pruned.test(line))).toEqual([]);
  expectNothingLost(world);
});

test('one that ignores annotations deletes them while callers are sent there', async () => {
  const { world, start } = prunedUpgrade(false, 1_000_000);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(world.log.filter((line) => pruned.test(line)).length).toBeGreaterThanOrEqual(8);
  expect(world.traffic.lost + world.traffic.cut).toBeGreaterThan(0);
});

test('after an abort adopted pods have the annotations that they had', async () => {
  const upgrade = prunedUpgrade(true);
  const { world } = upgrade;
  const options = 'argocd.argoproj.io/sync-options';
  for (const pod of world.pods) if (pod.of === 'web') pod.annotations = { [options]: 'Replace=true' };
  const before = annotationsOf();
  await upgradeAndAbort(upgrade, { step: 'awaitDeregistered' });
  expectNothingLost(world);
  expect(annotationsOf()).toEqual(before);

  function annotationsOf() {
    return world.pods.filter(({ of }) => of === 'web').map(({ annotations = {} }) => annotations[options]);
  }
});
