/** Pods that tolerate the taint of cordoned nodes: their replacements may start on old nodes, even on the one that is being emptied. */
import { expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { rollOut } from '../simulator/disturbances.ts';
import type { World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** Pods of `web` tolerate every taint; a scheduler that crowds prefers old nodes. */
function tolerateEverything(how: 'pod surge' | 'evicted', scheduler: World['faults']['scheduler']): Upgrade {
  const upgrade = upgradeOf(how === 'pod surge' ? { podSurge: {} } : {});
  const { world } = upgrade;
  for (const one of world.workloads) if (one.name === 'web') one.tolerations = [{ operator: 'Exists' }];
  for (const pod of world.pods) if (pod.of === 'web') pod.tolerations = [{ operator: 'Exists' }];
  world.faults.scheduler = scheduler;
  return upgrade;
}

test.each([
  ['pod surge', 'spreads'],
  ['evicted', 'spreads'],
] as const)('pods that tolerate every taint are %s where the scheduler likes new nodes', async (how, scheduler) => {
  const { world, start } = tolerateEverything(how, scheduler);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

/** What the hint tells their owners to do. */
function tolerateNothing(world: World, name = 'web'): void {
  for (const one of world.workloads) if (one.name === name) one.tolerations = [];
  rollOut(world, name);
}

test('a pod without a Service that starts again on the node being emptied is named, and moves once a cordon keeps it off', async () => {
  const { world, start } = upgradeOf();
  const [web] = world.workloads;
  if (web === undefined) throw new Error('the world has no workload');
  const operator = { name: 'operator', labels: { app: 'operator' }, selector: { app: 'operator' }, replicas: 1 };
  world.workloads.push({ ...web, ...operator, tolerations: [{ operator: 'Exists' }] });
  world.changed();
  world.clock.advance(60_000);
  // The scheduler always prefers the node that it is on.
  world.faults.scheduler = 'crowds';
  const { harness, handle } = await start();
  const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
  expect(stalledRun.stalled?.message).toMatch(/pods to leave ip-.*such pods came here 3 times after an eviction/);
  expect(world.log.filter((line) => /pod operator-.* terminates/.test(line)).length).toBeLessThan(20);
  tolerateNothing(world, 'operator');
  await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test.each(someOf(['pod surge', 'evicted'], 1))(
  'pods that were to be %s and gather on the last old node are named, and move once a cordon keeps them off',
  async (how) => {
    const { world, start } = tolerateEverything(how, 'crowds');
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.hint).toMatch(
      /^Pods of Deployment default\/web on ip-.* tolerate the taint of cordoned/,
    );
    expect(stalledRun.stalled?.hint).toContain('Have it tolerate only the taints that it must');
    // Requests that a rollout loses behind policy Local do not matter here.
    for (const service of world.services) service.ratePerSecond = 0;
    tolerateNothing(world);
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  },
);
