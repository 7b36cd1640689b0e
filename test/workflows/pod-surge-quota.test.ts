/** A quota with room for some replacements only: that many pods are surged at a time, and no pod is evicted because of it. */
import { expect, test } from 'vitest';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

test.each([
  [5, 4],
  [6, 4],
  [4, 0],
])('of 4 pods under a quota of %i, %i are surged', async (quota, surged) => {
  const { world, start } = upgradeOf({ preStopSeconds: 10, podSurge: {} });
  for (const workload of world.workloads)
    if (workload.name === 'web') Object.assign(workload, { quota, quotaTold: true });
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  const released = world.log.filter((line) => /pod web-\d+ on \S+ released/.test(line));
  expect(released, world.log.join('\n')).toHaveLength(surged);
  expect(report.unprotected.filter((what) => what.includes('instead of being surged'))).toEqual([]);
});

test('a quota that the run may not read makes the pod surge of a workload fail once it refuses a pod', async () => {
  const { world, start } = upgradeOf({ podSurge: {} });
  for (const workload of world.workloads) if (workload.name === 'web') workload.quota = 5;
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(report.unprotected).toContainEqual(expect.stringMatching(/web was evicted .*exceeded quota/));
});
