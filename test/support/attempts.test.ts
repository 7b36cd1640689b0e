import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Activities } from '../../activities/activities.ts';
import { createVirtualClock } from '../simulator/clock.ts';
import { MockActivityEnvironment } from './activity-environment.ts';
import { createAttempts, type StepHooks } from './attempts.ts';

/** One attempt at a step with that body, and the key of its activity. */
function oneAttempt(
  body: (clock: ReturnType<typeof createVirtualClock>) => Promise<unknown>,
  hooks: StepHooks = {},
  isToEnd: () => boolean = () => true,
) {
  const clock = createVirtualClock(0);
  const step = async () => await body(clock);
  const attempts = createAttempts({ evictPods: step } as unknown as Activities, clock, hooks, isToEnd);
  const environment = new MockActivityEnvironment();
  let beats = 0;
  environment.on('heartbeat', () => {
    beats += 1;
  });
  const running = environment.run(attempts.steps.evictPods as unknown as typeof step);
  const { workflowExecution, activityId } = environment.context.info;
  const key = `${workflowExecution?.workflowId}/${workflowExecution?.runId}/${activityId}`;
  return { clock, attempts, environment, running, key, beats: () => beats };
}

describe('an attempt at a step', () => {
  test('is known from its begin to its end', async () => {
    const work = Promise.withResolvers<string>();
    const { attempts, running, key } = oneAttempt(async () => await work.promise);
    expect(attempts.of(key)).toBe('running');
    work.resolve('done');
    expect(await running).toBe('done');
    expect(attempts.of(key)).toBe('none');
  });

  test('takes a slot, and while none is left, others are queued', async () => {
    const work = Promise.withResolvers<string>();
    const { attempts, running, key } = oneAttempt(async () => await work.promise, { maxSteps: 1 });
    expect([attempts.of(key), attempts.of('another')]).toEqual(['running', 'queued']);
    work.resolve('done');
    await running;
    expect(attempts.of('another')).toBe('none');
  });

  test('has heard of its cancellation also when it sleeps on', async () => {
    const { clock, attempts, environment, running, key } = oneAttempt(async (its) => await its.sleep(1_000));
    clock.standStillWhile(() => (attempts.of(key) === 'running' ? 'it has not heard yet' : undefined));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    environment.cancel();
    await running;
    expect(clock.now()).toBe(1_000);
  });

  test('tells of itself all the time once it is to end, so that it hears of it, and seldom before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const work = Promise.withResolvers<string>();
    let isToEnd = false;
    const { running, beats } = oneAttempt(
      async () => await work.promise,
      {},
      () => isToEnd,
    );
    await vi.advanceTimersByTimeAsync(4_000);
    expect(beats()).toBe(2);
    isToEnd = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(beats()).toBe(7);
    work.resolve('done');
    await running;
  });

  test('ends with the test, wherever it hangs', async () => {
    const { attempts, running, key } = oneAttempt(async () => 'done', {
      before: async () => await new Promise(() => {}),
    });
    attempts.end();
    await expect(running).rejects.toThrow('the test is over');
    expect(attempts.of(key)).toBe('none');
  });
});
