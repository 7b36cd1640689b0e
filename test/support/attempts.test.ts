import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { Activities } from '../../activities/activities.ts';
import { createVirtualClock } from '../simulator/clock.ts';
import { createAttempts, type StepHooks } from './attempts.ts';

/** One attempt at a step with that body, and the key of its activity. */
function oneAttempt(body: (clock: ReturnType<typeof createVirtualClock>) => Promise<unknown>, hooks: StepHooks = {}) {
  const clock = createVirtualClock(0);
  const step = async () => await body(clock);
  const attempts = createAttempts({ evictPods: step } as unknown as Activities, clock, hooks);
  const environment = new MockActivityEnvironment();
  const running = environment.run(attempts.steps.evictPods as unknown as typeof step);
  const { workflowExecution, activityId } = environment.context.info;
  const key = `${workflowExecution?.workflowId}/${workflowExecution?.runId}/${activityId}`;
  return { clock, attempts, environment, running, key };
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

  test('has heard of its cancellation also when it sleeps on', async () => {
    const { clock, attempts, environment, running, key } = oneAttempt(async (its) => await its.sleep(1_000));
    clock.standStillWhile(() => (attempts.of(key) === 'running' ? 'it has not heard yet' : undefined));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    environment.cancel();
    await running;
    expect(clock.now()).toBe(1_000);
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
