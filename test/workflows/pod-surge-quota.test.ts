/** A quota that has room for some replacements only: as many are handed over at a time, and nobody is evicted for it. */
import { expect, test } from 'vitest';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

test.each([
  [5, 4],
  [6, 4],
  [4, 0],
])('of 4 pods under a quota of %i, %i are handed over', async (quota, surged) => {
  const world = createScenario({ preStopSeconds: 10 });
  for (const workload of world.workloads)
    if (workload.name === 'web') Object.assign(workload, { quota, quotaTold: true });
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(podSurgePolicy()));
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  const released = world.log.filter((line) => /pod web-\d+ on \S+ released/.test(line));
  expect(released, world.log.join('\n')).toHaveLength(surged);
  expect(report.unprotected.filter((what) => what.includes('was not handed over'))).toEqual([]);
});

test('a quota that nobody may read costs the workload its hand-over once it refuses', async () => {
  const world = createScenario();
  for (const workload of world.workloads) if (workload.name === 'web') workload.quota = 5;
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(podSurgePolicy()));
  expect(report.outcome).toBe('completed');
  expect(report.unprotected).toContainEqual(expect.stringMatching(/web was not handed over.*exceeded quota/));
});
