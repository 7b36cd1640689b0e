/** A GitOps tool prunes pods without an owner, and released pods have none. */
import { expect, test } from 'vitest';
import { markAsInstance, prune } from '../simulator/pruner.ts';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

function createPrunedScenario(obeys: boolean) {
  const world = createScenario();
  markAsInstance(world, 'shop');
  prune(world, { obeys });
  return world;
}

const pruned = /is pruned$/;

test('a pruner keeps released pods, and nothing is lost', async () => {
  const world = createPrunedScenario(true);
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(podSurgePolicy()));
  expect(report.outcome).toBe('completed');
  expect(world.log.filter((line) => pruned.test(line))).toEqual([]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('one that ignores annotations deletes them while callers are sent there', async () => {
  const world = createPrunedScenario(false);
  const harness = await openHarness(world, {});
  const policy = podSurgePolicy();
  const report = await harness.finish(
    await harness.start({ ...policy, traffic: { ...policy.traffic, lossBudget: 1_000_000 } }),
  );
  expect(report.outcome).toBe('completed');
  expect(world.log.filter((line) => pruned.test(line)).length).toBeGreaterThanOrEqual(8);
  expect(world.traffic.lost + world.traffic.cut).toBeGreaterThan(0);
});

test('after an abort adopted pods have the annotations that they had', async () => {
  const world = createPrunedScenario(true);
  const options = 'argocd.argoproj.io/sync-options';
  for (const pod of world.pods) if (pod.of === 'web') pod.annotations = { [options]: 'Replace=true' };
  const before = annotationsOf();
  await upgradeAndAbort(world, podSurgePolicy(), { step: 'awaitDeregistered' });
  expectNothingLost(world);
  expect(annotationsOf()).toEqual(before);

  function annotationsOf() {
    return world.pods.filter(({ of }) => of === 'web').map(({ annotations = {} }) => annotations[options]);
  }
});
