import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { measureSteps } from '../../worker/measure-steps.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { createRecordingMeter } from '../support/recording-meter.ts';

const now = Date.parse('2026-11-25T12:00:00Z');

beforeEach(() => vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

/** Runs the body as an activity of this type that was scheduled 90 s ago. */
async function measure(
  activityType: string,
  input: object,
  body: (environment: MockActivityEnvironment, given: object) => unknown,
) {
  const { meter, emitted } = createRecordingMeter();
  const environment = new MockActivityEnvironment(
    { activityType, scheduledTimestampMs: now - 90_000, attempt: 3 },
    { metricMeter: meter, interceptors: [measureSteps] },
  );
  const ended = environment.run(async (given: object) => body(environment, given), input);
  await ended.catch(() => undefined);
  const of = (name: string) =>
    emitted.filter((one) => one.name === name).map(({ value, tags }) => ({ value, ...tags }));
  return {
    all: emitted,
    nodes: of('nodeferry_nodes'),
    waits: of('nodeferry_step_wait'),
    stalled: of('nodeferry_steps_stalled'),
  };
}

const node = { node: { name: 'n1' } };
const failed = { outcome: 'failed', at: 0, problem: { code: 'DeadlineExceeded', message: 'not there' } };

describe('nodes in a step', () => {
  test('are counted while the attempt lasts, however it ends', async () => {
    const there = [
      { value: 1, step: 'evicting' },
      { value: -1, step: 'evicting' },
    ];
    expect((await measure('evictPods', node, () => ({ outcome: 'done' }))).nodes).toEqual(there);
    const dying = await measure('evictPods', node, () => {
      throw new Error('the worker shuts down');
    });
    expect(dying.nodes).toEqual(there);
  });

  test('are pending while the guard is asked about them', async () => {
    const { nodes } = await measure('excludeNext', { waiting: [{}, {}, {}] }, () => ({ outcome: 'done' }));
    expect(nodes).toEqual([
      { value: 3, step: 'pending' },
      { value: -3, step: 'pending' },
    ]);
  });

  test('are none in a phase of the whole run', async () => {
    expect((await measure('awaitNodesReady', {}, () => ({ outcome: 'done' }))).nodes).toEqual([]);
  });
});

describe('the time of a step', () => {
  test('runs from when it was first scheduled, attempts that died included', async () => {
    const { waits, stalled } = await measure('awaitDeregistered', node, () => {
      vi.setSystemTime(now + 10_000);
      return { outcome: 'done' };
    });
    expect(waits).toEqual([{ value: 100, step: 'deregistering', outcome: 'done' }]);
    expect(stalled).toEqual([]);
  });

  test('is never negative, should the clock of the server be ahead', async () => {
    const { waits } = await measure('awaitDeregistered', node, () => {
      vi.setSystemTime(now - 91_000);
      return { outcome: 'done' };
    });
    expect(waits).toMatchObject([{ value: 0 }]);
  });

  test('is not measured of an attempt that will be followed by another, or was cancelled', async () => {
    for (const error of [new Error('lost'), new CancelledFailure('enough')]) {
      const { waits, stalled } = await measure('awaitDeregistered', node, () => {
        throw error;
      });
      expect({ waits, stalled }).toEqual({ waits: [], stalled: [] });
    }
  });
});

describe('a step stalls', () => {
  test('at its deadline', async () => {
    const { waits, stalled } = await measure('evictPods', node, () => failed);
    expect(waits).toEqual([{ value: 90, step: 'evicting', outcome: 'failed' }]);
    expect(stalled).toEqual([{ value: 1, step: 'evicting', problem: 'DeadlineExceeded' }]);
  });

  test.each([
    ['Forbidden', 'Forbidden'],
    ['SomethingElse', 'Internal'],
  ])('with an error of type %s that a retry cannot help, as %s', async (type, problem) => {
    const { stalled } = await measure('createPool', {}, () => {
      throw ApplicationFailure.create({ type, nonRetryable: true });
    });
    expect(stalled).toEqual([{ value: 1, step: 'node-surge', problem }]);
  });

  test('even as its worker shuts down: the server hears of it', async () => {
    const { stalled } = await measure('evictPods', node, (environment) => {
      environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
      return failed;
    });
    expect(stalled).toEqual([{ value: 1, step: 'evicting', problem: 'DeadlineExceeded' }]);
  });

  test('not when it is cancelled', async () => {
    const { waits, stalled } = await measure('evictPods', node, (environment) => {
      environment.cancel();
      return failed;
    });
    expect({ waits, stalled }).toEqual({ waits: [], stalled: [] });
  });
});

test('what is no step of a run is not measured', async () => {
  expect((await measure('sleepFor', node, () => failed)).all).toEqual([]);
});
