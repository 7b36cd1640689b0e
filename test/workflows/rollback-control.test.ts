/** What a rollback answers to, and how it continues when the old pool cannot have its instances. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  abortUpdate,
  type OperatorRequest,
  pauseUpdate,
  resumeUpdate,
  rollbackUpdate,
} from '../../workflows/messages.ts';
import { type World } from '../simulator/world.ts';
import { expectServedByOldPool, upgradeAndRollBack } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type StartedUpgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };
const oneByOne = { policy: { guard: { maxInFlight: 1 } } } satisfies UpgradeScene;
const minuteMs = 60_000;

type Act = (upgrade: StartedUpgrade) => Promise<unknown>;

/** Starts an upgrade and acts when a step begins for the n-th time, once for each moment. The step goes on after the answer. */
async function actAt(scene: UpgradeScene, moments: readonly (readonly [step: string, nth: number, act: Act])[]) {
  const begun = new Map<string, number>();
  const started: StartedUpgrade = await upgradeOf(scene).start({
    before: async (step) => {
      const times = (begun.get(step) ?? 0) + 1;
      begun.set(step, times);
      for (const [at, nth, act] of moments) if (at === step && nth === times) await act(started);
    },
  });
  const report = await started.harness.finish(started.handle);
  return { ...started, report };
}

const abort: Act = async ({ handle }) => await handle.executeUpdate(abortUpdate, { args: [operator] });
const rollBack: Act = async ({ handle }) => await handle.executeUpdate(rollbackUpdate, { args: [operator] });

async function refusalOf({ handle }: StartedUpgrade, update = rollbackUpdate, request: OperatorRequest = operator) {
  const error = await handle.executeUpdate(update, { args: [request] }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
  return String((error as WorkflowUpdateFailedError).cause?.message);
}

/** From a moment on the cloud gives no instance any more, except so many. */
function limitCapacity(world: World, more: number): void {
  world.faults.capacity = world.instances.filter(({ state }) => state !== 'terminated').length + more;
}

describe('a rollback', () => {
  test('of a paused run', async () => {
    const { world, harness, handle } = await upgradeOf(oneByOne).start();
    await harness.until(handle, 'one is replaced', ({ nodes }) => nodes.some(({ step }) => step === 'replaced'));
    await handle.executeUpdate(pauseUpdate, { args: [operator] });
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });

  variation('of a run that waits for approval after its canary node', async () => {
    const rollout = {
      canary: { nodes: 1, soakMs: 0 },
      approvals: { at: ['canary'], timeoutMs: undefined, onTimeout: 'stall' },
    } as const;
    const { world, harness, handle } = await upgradeOf({ policy: { rollout } }).start();
    await harness.until(handle, 'it waits for approval', ({ approval }) => approval !== undefined);
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('rolled-back');
    expect(report.approval).toBeUndefined();
    expect(report.rollback?.nodes).toHaveLength(1);
    expectServedByOldPool(world);
  });

  test('of a run that waits for approval of its start has nothing to do', async () => {
    const rollout = { approvals: { at: ['start'], timeoutMs: undefined, onTimeout: 'stall' } } as const;
    const { world, harness, handle } = await upgradeOf({ policy: { rollout } }).start();
    await harness.until(handle, 'it waits for approval', ({ approval }) => approval !== undefined);
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });

  test('of a stalled run', async () => {
    const { world, harness, handle } = await upgradeOf(oneByOne).start();
    await harness.until(handle, 'one is replaced', ({ nodes }) => nodes.some(({ step }) => step === 'replaced'));
    // No budget allows an eviction for a while.
    const before = world.budgets.map((budget) => budget.maxUnavailable);
    for (const budget of world.budgets) budget.maxUnavailable = 0;
    await harness.until(handle, 'stalled', ({ stalled }) => stalled !== undefined);
    world.budgets.forEach((budget, index) => (budget.maxUnavailable = before[index] ?? 1));
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });

  test('brings back the size of the plan, and no instance that was added later is lost or waited for', async () => {
    const scene = upgradeOf(oneByOne);
    const { world } = scene;
    const report = await upgradeAndRollBack(
      scene,
      { step: 'evictPods', nth: 3 },
      {
        before: async (step) => {
          const [pool] = world.pools;
          if (step === 'suspendScaling' && pool !== undefined) pool.maxSize = 4;
        },
      },
    );
    expect(report.rollback?.nodes?.length).toBeGreaterThan(0);
    expect(world.pools[0]).toMatchObject({ desiredSize: 4, maxSize: 4, minSize: 1 });
    expectNothingLost(world);
  });
});

describe('without capacity for the old nodes', () => {
  /** Stalls a rollback that gets only so many of the instances that it needs. */
  async function stallRollback(more: number) {
    let isLimited = false;
    const started = await upgradeOf(oneByOne).start({
      before: async (step) => {
        if (step !== 'restoreSize' || isLimited) return;
        isLimited = true;
        limitCapacity(started.world, more);
      },
    });
    const { harness, handle, world } = started;
    await harness.until(handle, 'two are replaced', ({ nodes }) => {
      return nodes.filter(({ step }) => step === 'replaced').length >= 2;
    });
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    const stalled = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled.stalled).toMatchObject({ code: 'CapacityUnavailable' });
    expect(stalled.stalled?.message).toContain('web does not get its instances again');
    expect(world.nodes.filter(({ pool }) => pool === 'web-new')).toHaveLength(4);
    return started;
  }

  test('it stalls with the new nodes in place, and a resume continues it once there is capacity', async () => {
    const { world, harness, handle } = await stallRollback(0);
    world.faults.capacity = Number.POSITIVE_INFINITY;
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });

  test.each(someOf([0, 1], 1))('an abort ends that, with %i instances of the old pool back', async (more) => {
    const { world, harness, handle } = await stallRollback(more);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expect(report.rollback).toBeUndefined();
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'rollback', 'abort']);
    world.faults.capacity = Number.POSITIVE_INFINITY;
    world.clock.advance(30 * minuteMs);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    const replaced = report.nodes.filter(({ node, step }) => node.name < 'ip-10-0-0-5' && step === 'replaced').length;
    expect(world.nodes.filter(({ pool }) => pool === 'web-new')).toHaveLength(replaced - more);
  });

  variation('an abort can become a rollback again', async () => {
    const { world, harness, handle } = await stallRollback(0);
    const turned = harness.until(handle, 'it is aborted', ({ rollback }) => rollback === undefined);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await turned;
    world.faults.capacity = Number.POSITIVE_INFINITY;
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });

  test('an abort that becomes a rollback again before its step has ended is a rollback', async () => {
    const both: Act = async (upgrade) => {
      await abort(upgrade);
      await rollBack(upgrade);
    };
    const { world, report } = await actAt(oneByOne, [
      ['evictPods', 3, rollBack],
      ['restoreSize', 1, async (upgrade) => limitCapacity(upgrade.world, 0)],
      ['awaitOldNodes', 1, both],
      ['trimPool', 1, async (upgrade) => (upgrade.world.faults.capacity = Number.POSITIVE_INFINITY)],
    ]);
    expect(report.outcome).toBe('rolled-back');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'rollback', 'abort', 'rollback']);
    expectServedByOldPool(world);
  });

  variation('a maximum that somebody has lowered stalls it until that is raised', async () => {
    const { world, harness, handle } = await upgradeOf(oneByOne).start();
    const [pool] = world.pools;
    if (pool === undefined) throw new Error('there is no pool');
    await harness.until(handle, 'one is replaced', ({ nodes }) => nodes.some(({ step }) => step === 'replaced'));
    pool.maxSize = 3;
    await handle.executeUpdate(rollbackUpdate, { args: [operator] });
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.code).toBe('ProviderRefused');
    pool.maxSize = 8;
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('rolled-back');
    expectServedByOldPool(world);
  });
});

describe('an abort', () => {
  test.each(
    someOf(
      [
        ['restoreNode', 1],
        ['planScaleIn', 1],
        ['evictPods', 4],
        ['planScaleIn', 2],
      ],
      1,
    ),
  )('becomes a rollback when %s begins for the %i. time', async (step, nth) => {
    const { world, report } = await actAt(oneByOne, [
      ['evictPods', 3, abort],
      [step, nth, rollBack],
    ]);
    expect(report.outcome).toBe('rolled-back');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'abort', 'rollback']);
    expectServedByOldPool(world);
  });

  variation('that has finished with the new nodes does not', async () => {
    let refusal = '';
    const { report, world } = await actAt(oneByOne, [
      ['evictPods', 3, abort],
      ['cleanUp', 1, async (upgrade) => (refusal = await refusalOf(upgrade))],
    ]);
    expect(refusal).toContain('has finished with the new nodes');
    expect(report.outcome).toBe('aborted');
    expectNothingLeft(world, 4);
  });
});

describe('is refused', () => {
  test('while the old pool is being deleted', async () => {
    let refusal = '';
    const { report, world } = await actAt({}, [
      ['deletePool', 1, async (upgrade) => (refusal = await refusalOf(upgrade))],
    ]);
    expect(refusal).toContain('the old pool is being deleted');
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('a second time, without a reason, and with a pause; an abort once the old pool is back', async () => {
    const refusals: string[] = [];
    const { report } = await actAt(oneByOne, [
      [
        'evictPods',
        1,
        async (upgrade) => refusals.push(await refusalOf(upgrade, rollbackUpdate, { ...operator, reason: ' ' })),
      ],
      ['evictPods', 2, rollBack],
      ['restoreSize', 1, async (upgrade) => refusals.push(await refusalOf(upgrade))],
      ['awaitOldNodes', 1, async (upgrade) => refusals.push(await refusalOf(upgrade, pauseUpdate))],
      ['planScaleIn', 1, async (upgrade) => refusals.push(await refusalOf(upgrade, abortUpdate))],
    ]);
    expect(refusals).toEqual([
      expect.stringContaining('it needs a reason'),
      expect.stringContaining('it is being rolled back already'),
      expect.stringContaining('the run is being rolled back'),
      expect.stringContaining('the old pool has its size again'),
    ]);
    expect(report.outcome).toBe('rolled-back');
  });
});

variation('a rollback in which somebody scales the old pool up keeps what they have added', async () => {
  const scene = upgradeOf(oneByOne);
  const { world } = scene;
  await upgradeAndRollBack(
    scene,
    { step: 'evictPods', nth: 3 },
    {
      before: async (step) => {
        const [pool] = world.pools;
        if (step === 'awaitOldNodes' && pool !== undefined && pool.desiredSize === 4) pool.desiredSize = 5;
      },
    },
  );
  expect(world.pools[0]).toMatchObject({ name: 'web', desiredSize: 5 });
  expectNothingLost(world);
});
