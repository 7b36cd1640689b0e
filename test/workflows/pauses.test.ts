import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { abortUpdate, longQueue } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { openHarness } from '../support/open-harness.ts';

/** As many nodes as a worker has slots, each of which waits before it tries again to come back in, would stop every run of that worker. */
test('a node that waits before its next try takes no slot that steps need', async () => {
  const world = createScenario();
  let tries = 0;
  let asked: Promise<unknown> | undefined;
  const harness = await openHarness(world, {
    before: (step) => {
      if (step === 'awaitConnectionsDrained')
        asked ??= handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
      if (step === 'restoreNode' && (tries += 1) === 1) throw ApplicationFailure.nonRetryable('not now');
    },
  });
  const handle = await harness.start(scenarioPolicy());
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
