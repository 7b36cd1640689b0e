/** A rollback whose old pool gets instances that never become nodes. */
import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { abortUpdate, resumeUpdate, rollbackUpdate } from '../../workflows/messages.ts';
import { expectServedByOldPool } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { StepHooks } from '../support/temporal-harness.ts';
import { type StartedUpgrade, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** Rolls a run back with two nodes replaced; this many of the instances that the old pool gets then never become nodes. */
async function rollBackWith(unjoined: number, hooks: StepHooks = {}): Promise<StartedUpgrade> {
  let isRequested = false;
  const started = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
    ...hooks,
    before: async (step) => {
      if (step !== 'restoreSize' || isRequested) return;
      isRequested = true;
      started.world.faults.neverJoining = unjoined;
    },
  });
  const { harness, handle } = started;
  await harness.until(handle, 'two are replaced', ({ nodes }) => {
    return nodes.filter(({ step }) => step === 'replaced').length >= 2;
  });
  await handle.executeUpdate(rollbackUpdate, { args: [operator] });
  return started;
}

/** The instances that the old pool got again, dead or alive. */
function instancesBack({ world }: StartedUpgrade) {
  return world.instances.filter(({ pool }) => pool === 'web').slice(4);
}

test.each(someOf([1, 2], 1))('replaces %i of them, and says so', async (unjoined) => {
  const started = await rollBackWith(unjoined);
  const { world, harness, handle } = started;
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('rolled-back');
  expectServedByOldPool(world);
  const ended = instancesBack(started).filter(({ state }) => state === 'terminated');
  expect(ended).toHaveLength(unjoined);
  const names = ended.map(({ instanceId }) => instanceId).join(', ');
  expect(report.externalChanges.map(({ what }) => what)).toContainEqual(
    expect.stringContaining(`${names} of web did not join the cluster in time`),
  );
});

test('an attempt whose answer is lost ends no instance that was just requested', async () => {
  let isLost = false;
  const started = await rollBackWith(1, {
    after: (step) => {
      if (step !== 'endUnjoined' || isLost) return;
      isLost = true;
      throw ApplicationFailure.retryable('the worker died before it could answer');
    },
  });
  expect((await started.harness.finish(started.handle)).outcome).toBe('rolled-back');
  expect(isLost).toBe(true);
  expect(instancesBack(started)).toHaveLength(3);
  expectServedByOldPool(started.world);
});

test('asks an operator when the third ones do not join either; a resume replaces them once more', async () => {
  const started = await rollBackWith(6);
  const { world, harness, handle } = started;
  const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
  const left = instancesBack(started).filter(({ state }) => state === 'running');
  expect(instancesBack(started)).toHaveLength(6);
  expect(left).toHaveLength(2);
  expect(stalled?.code).toBe('DeadlineExceeded');
  expect(stalled?.message).toContain(`not joined: ${left.map(({ instanceId }) => instanceId).join(', ')}`);
  expect(stalled?.hint).toContain('then resume, which replaces those that have not');
  expect(world.nodes.filter(({ pool }) => pool === 'web-new')).toHaveLength(4);
  await handle.executeUpdate(resumeUpdate, { args: [operator] });
  expect((await harness.finish(handle)).outcome).toBe('rolled-back');
  expect(instancesBack(started)).toHaveLength(8);
  expectServedByOldPool(world);
});

variation('an abort ends them and the rollback: as many new nodes stay as old ones are missing', async () => {
  const { world, harness, handle } = await rollBackWith(Number.POSITIVE_INFINITY);
  await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
  await handle.executeUpdate(abortUpdate, { args: [operator] });
  expect((await harness.finish(handle)).outcome).toBe('aborted');
  expect(world.instances.filter(({ pool, state }) => pool === 'web' && state === 'running')).toHaveLength(2);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});
