/** Pods that run only on nodes where a pod of another workload is. */
import { expect, test } from 'vitest';
import { besideOnHost } from '../simulator/pods.ts';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

/** Pods of `web` must be beside one of `api`, as they are; `told` is what their specs say of it. */
function webBesideApi(told = [besideOnHost('api')]): World {
  const world = createScenario();
  for (const one of world.workloads) if (one.name === 'web') one.beside = 'api';
  for (const pod of world.pods) if (pod.of === 'web') pod.besides = told;
  return world;
}

const releasedOf = (world: World, name: string) =>
  world.log.filter((line) => new RegExp(`pod ${name}-\\d+ .* released`).test(line)).length;

const apiEvicted = podSurgePolicy(
  {},
  { podSurge: { mode: 'auto', max: 1, workloads: { 'default/api': { mode: 'off', max: 1 } } } },
);

test('are handed over with it', async () => {
  const world = webBesideApi();
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(podSurgePolicy()));
  expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
  expect([releasedOf(world, 'web'), releasedOf(world, 'api')]).toEqual([4, 4]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('are evicted with it where that is not handed over, and nobody waits for replacements that find no place', async () => {
  const world = webBesideApi();
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(apiEvicted));
  expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
  expect(releasedOf(world, 'web')).toBe(0);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('alone they find no place, and cost a quarter of an hour: where nothing is known of it', async () => {
  const world = webBesideApi([]);
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(apiEvicted));
  expect(report.unprotected.join()).toMatch(/Deployment default\/web was not handed over, .*cannot be scheduled/);
});
