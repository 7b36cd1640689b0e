import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { abortUpdate, longQueue } from '../../workflows/messages.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Nodes that wait before they retry their restoring, as many as a worker has slots, would stop every run of that worker. */
test('a node that waits before its next attempt uses no slot that other steps need', async () => {
  const { start } = upgradeOf();
  let tries = 0;
  let asked: Promise<unknown> | undefined;
  const { harness, handle } = await start({
    before: (step) => {
      if (step === 'awaitConnectionsDrained')
        asked ??= handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
      if (step === 'restoreNode' && (tries += 1) === 1) throw ApplicationFailure.nonRetryable('not now');
    },
  });
  const report = await handle.result();
  await asked;
  expect(report.outcome).toBe('aborted');
  const ids = report.nodes.flatMap(({ workflowId }) => workflowId ?? []);
  const histories = await Promise.all(ids.map(async (id) => await harness.workflow(id).fetchHistory()));
  const pauses = histories
    .flatMap(({ events }) => (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []))
    .filter(({ activityType }) => activityType?.name === 'sleepFor');
  expect(pauses.map(({ taskQueue }) => taskQueue?.name)).toEqual([longQueue(harness.taskQueue)]);
});
