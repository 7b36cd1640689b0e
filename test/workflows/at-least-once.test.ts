import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { abortUpdate } from '../../workflows/messages.ts';
import { losingEachAnswer } from '../support/losing-answers.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const lostAnswer = () => ApplicationFailure.retryable('the worker died before it could answer');

describe('steps that run more than once', () => {
  test('an upgrade in which every step loses its first response ends the same', async () => {
    const { world, start } = upgradeOf();
    const done = new Set<string>();
    const { handle } = await start({
      after: (step, [input]) => {
        const node = (input as { node?: { name: string } }).node?.name ?? '';
        if (step === 'monitorRun' || done.has(step + node)) return;
        done.add(step + node);
        throw lostAnswer();
      },
    });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect(done.size).toBeGreaterThan(30);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('a step may lose any number of workers: only its deadline and its own errors end it', async () => {
    const { harness, handle } = await upgradeOf().start();
    const report = await harness.finish(handle);
    const ids = [handle.workflowId, ...report.nodes.flatMap(({ workflowId }) => workflowId ?? [])];
    const histories = await Promise.all(ids.map(async (id) => await harness.workflow(id).fetchHistory()));
    const scheduled = histories.flatMap(({ events }) =>
      (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []),
    );
    expect(scheduled.length).toBeGreaterThan(30);
    expect(scheduled.filter(({ retryPolicy }) => (retryPolicy?.maximumAttempts ?? 0) !== 0)).toEqual([]);
  });

  test('an abort in which every step loses its first response rolls everything back', async () => {
    const { world, start } = upgradeOf();
    const done = new Set<string>();
    let abort = async (): Promise<unknown> => undefined;
    const { handle } = await start({
      before: async (step) => {
        if (step === 'evictPods' && !done.has('abort')) {
          done.add('abort');
          await abort();
        }
      },
      after: losingEachAnswer(),
    });
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'because' }] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('a step that fails for good stalls the run instead of failing it', async () => {
    const { world, harness, handle } = await upgradeOf().start({
      before: (step) => {
        if (step === 'cordonNodes') throw ApplicationFailure.nonRetryable('a bug');
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled).toMatchObject({ code: 'Internal', message: 'a bug' });
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'because' }] });
    expect((await handle.result()).outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
