/** Why a run waits for an operator is kept by Temporal itself, so that it can be listed without a worker. */
import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { listRuns } from '../../client/list-runs.ts';
import { approveUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { connectAsCommandsDo, targetOf } from '../support/command-connection.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** How a pool's run is listed. */
async function listed(workflowId: string) {
  const { cluster } = targetOf(workflowId);
  const connection = await connectAsCommandsDo();
  const { runs } = await listRuns(connection, { all: true, stalled: false, limit: 10, cluster });
  return runs.find((run) => run.workflowId === workflowId);
}

test('a run is listed as waiting for approval, then as paused by somebody, then with its phase', async () => {
  const approvals = { at: ['start'], timeoutMs: undefined, onTimeout: 'stall' } as const;
  const { harness, handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start();
  const { workflowId } = handle;
  await harness.until(handle, 'it waits for approval', ({ approval }) => approval !== undefined);
  await expect
    .poll(() => listed(workflowId))
    .toMatchObject({ state: 'waiting for approval', approval: { of: 'start', since: expect.any(Number) } });

  await handle.executeUpdate(pauseUpdate, { args: [{ by: 'ann', reason: 'error rate is up' }] });
  const paused = { by: 'ann', reason: 'error rate is up' };
  await expect.poll(() => listed(workflowId)).toMatchObject({ state: 'paused', paused, approval: { of: 'start' } });

  await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: '' }] });
  await handle.executeUpdate(approveUpdate, { args: [{ by: 'ann', reason: '' }] });
  await harness.finish(handle);
  await expect.poll(() => listed(workflowId)).toMatchObject({ state: 'completed' });
  const ended = await listed(workflowId);
  expect(ended).not.toHaveProperty('approval');
  expect(ended).not.toHaveProperty('paused');
});

test('a stalled run is listed with its problem, until it is resumed', async () => {
  let tries = 0;
  const { harness, handle } = await upgradeOf().start({
    before: (step) => {
      if (step === 'suspendScaling' && (tries += 1) === 1) throw ApplicationFailure.nonRetryable('scaling is locked');
    },
  });
  await harness.until(handle, 'it is stalled', ({ stalled }) => stalled !== undefined);
  await expect
    .poll(() => listed(handle.workflowId))
    .toMatchObject({ state: 'stalled', stalled: { code: 'Internal', message: 'scaling is locked' } });

  await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: '' }] });
  const report = await harness.finish(handle);

  expect(report.outcome).toBe('completed');
  const { memo } = await handle.describe();
  expect(memo?.['needs']).toBeUndefined();
});
