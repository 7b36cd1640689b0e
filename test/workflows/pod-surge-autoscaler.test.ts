/** An autoscaler counts pods twice during a pod surge: released pods and their replacements. */
import { expect, test } from 'vitest';
import { autoscale } from '../simulator/autoscaler.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

test.each([
  ['whose pods use nothing without callers keeps its size', { load: 1.9, idle: 0 }, 4],
  ['whose pods use much of their requests without callers is scaled up a little', { load: 1.1, idle: 0.2 }, 7],
])('a workload with pod surge and %s; nothing is lost', async (_, use, most) => {
  const { world, start } = upgradeOf({ podSurge: {} });
  const scales: number[] = [];
  world.clock.onPassage(() => {
    const replicas = world.workloads.find(({ name }) => name === 'web')?.replicas ?? 0;
    if (scales.at(-1) !== replicas) scales.push(replicas);
  });
  autoscale(world, { workload: 'web', target: 0.5, least: 4, ...use });
  world.clock.advance(60_000);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect([Math.min(...scales), Math.max(...scales)]).toEqual([4, most]);
  expect(world.pods.filter(({ of, terminating }) => of === 'web' && !terminating)).toHaveLength(most);
  expect(world.fewestServing.get('default/web')).toBe(4);
});

test.each([
  ['named in the policy is scaled up for it', { 'default/web': { mode: 'auto', max: 1 } }, true],
  ['is evicted within its budget, and left as it is', {}, false],
] as const)('a workload whose autoscaler multiplies a metric by all pods %s', async (_, workloads, grows) => {
  const { world, start } = upgradeOf({ podSurge: {}, policy: { podSurge: { mode: 'auto', max: 1, workloads } } });
  let highest = 0;
  world.clock.onPassage(() => {
    highest = Math.max(highest, world.workloads.find(({ name }) => name === 'web')?.replicas ?? 0);
  });
  autoscale(world, { workload: 'web', target: 0.5, least: 4, load: 0, idle: 0, value: 0.85 });
  world.clock.advance(60_000);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expect(highest > 4, String(highest)).toBe(grows);
});
