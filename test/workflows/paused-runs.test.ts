/** A pause stops a run wherever it is: what is in progress finishes, and nothing else begins before somebody resumes it. */
import { Context } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { weekdays } from '../../core/schedule/schedule.ts';
import { abortUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { scaleDownUnneeded } from '../simulator/cluster-autoscaler.ts';
import type { World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { onceBefore } from '../support/once-before.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type StartedUpgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'not today' };

/** An upgrade that is paused when this step begins, and when each step has begun last. The step acts once the pause is acknowledged, unless that has cancelled it. */
async function pausedAt(step: string, scene: UpgradeScene = {}) {
  const { world, start } = upgradeOf(scene);
  const started = Promise.withResolvers<StartedUpgrade>();
  const paused = Promise.withResolvers<void>();
  const begun = new Map<string, number>();
  const pause = onceBefore(step, async () => {
    const { handle } = await started.promise;
    const cancelled = Context.current().cancelled.catch(() => undefined);
    const pausing = handle.executeUpdate(pauseUpdate, { args: [operator] });
    pausing.then(() => paused.resolve(), paused.reject);
    await Promise.race([pausing, cancelled]);
  });
  const upgrade = await start({
    before: async (name) => {
      begun.set(name, world.clock.now());
      await pause(name);
    },
  });
  started.resolve(upgrade);
  await paused.promise;
  return { ...upgrade, begun };
}

/** The status ten minutes later. */
async function tenMinutesLater({ world, harness, handle }: StartedUpgrade) {
  const until = world.clock.now() + 10 * 60_000;
  return await harness.until(handle, 'ten minutes have passed', () => world.clock.now() >= until);
}

async function resume({ harness, handle, world }: StartedUpgrade): Promise<void> {
  await handle.executeUpdate(resumeUpdate, { args: [operator] });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
}

describe.each([
  ['acquireLock', ['suspendScaling', 'createPool']],
  ['awaitNodesReady', ['cordonNodes']],
])('a run that is paused during %s', (during, next) => {
  test(`waits for nothing but its resume, and begins no ${next.join(' or ')} before it`, async () => {
    const upgrade = await pausedAt(during);
    const status = await tenMinutesLater(upgrade);
    expect(status.paused).toMatchObject(operator);
    expect(status.waiting).toBeUndefined();
    expect(next.filter((step) => upgrade.begun.has(step))).toEqual([]);
    await resume(upgrade);
  });

  test('can be aborted at once, and leaves nothing', async () => {
    const upgrade = await pausedAt(during);
    await tenMinutesLater(upgrade);
    await upgrade.handle.executeUpdate(abortUpdate, { args: [operator] });
    expect((await upgrade.handle.result()).outcome).toBe('aborted');
    expectNothingLost(upgrade.world);
    expectNothingLeft(upgrade.world, 4);
  });
});

test('a run that is paused loses none of its new nodes to a cluster autoscaler that finds them without pods', async () => {
  const upgrade = await pausedAt('awaitNodesReady');
  const { world } = upgrade;
  scaleDownUnneeded(world);
  await tenMinutesLater(upgrade);
  await tenMinutesLater(upgrade);
  expect(world.nodes.filter(({ pool }) => pool === 'web-new')).toHaveLength(4);
  await resume(upgrade);
  expect(world.pools).toMatchObject([{ name: 'web-new', desiredSize: 4, minSize: 1 }]);
});

describe('a run that is paused when it is about to surge pods', () => {
  const countReleased = ({ pods }: World) => pods.filter(({ released }) => released !== undefined).length;

  test('releases none once the pause is acknowledged, and all of them after its resume', async () => {
    const upgrade = await pausedAt('surgePods', { podSurge: {} });
    expect(countReleased(upgrade.world)).toBe(0);
    await tenMinutesLater(upgrade);
    expect(countReleased(upgrade.world)).toBe(0);
    await resume(upgrade);
  });
});

describe('a run that is resumed after its window has closed', () => {
  const dayMs = 24 * 3_600_000;
  const windows = [{ days: weekdays, startMinute: 0, endMinute: 6 * 60 }];

  test.each(
    someOf(
      [
        ['acquireLock', 'suspendScaling', {}],
        ['acquireLock', 'createPool', {}],
        ['awaitNodesReady', 'cordonNodes', {}],
        ['cordonNodes', 'surgePods', { podSurge: {} }],
        ['surgePods', 'surgePods', { podSurge: {} }],
      ],
      2,
    ),
  )('in a pause during %s begins %s in the next one', async (during, next, scene) => {
    const upgrade = await pausedAt(during, { ...scene, policy: { schedule: { windows } } });
    const { world, begun } = upgrade;
    const today = Math.floor(world.clock.now() / dayMs);
    await tenMinutesLater(upgrade);
    world.clock.advance(8 * 3_600_000);
    await resume(upgrade);
    expect((begun.get(next) ?? 0) / dayMs - today).toBeGreaterThanOrEqual(1);
  });
});
