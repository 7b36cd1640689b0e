import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { type Outcome, type Poll, type PollContext, pollUntil, type Wait } from '../../activities/polling.ts';
import { NodeferryError, type ProblemCode } from '../../core/model/problem.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';

/** A clock that jumps when slept on. */
function jumpingClock(start = 1_000_000) {
  let now = start;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
}

type Value = { readonly value: string };

function waitOn(observation: Wait<Value>['poll'], change: Partial<Wait<Value>> = {}): Wait<Value> {
  return {
    clock: jumpingClock(),
    what: 'the thing',
    deadlineMs: 60_000,
    pollIntervalMs: 5_000,
    hint: 'fix it',
    poll: observation,
    ...change,
  };
}

const done = (value: string): Poll<Value> => ({ done: true, value: { value } });
const error = (code: ProblemCode) => new NodeferryError({ code, message: code });
const throttled = () => new NodeferryError({ code: 'Throttled', message: 'Rate exceeded' }, { retryAfterMs: 700 });

describe('pollUntil', () => {
  test('ends with the value and the time of the poll that found it', async () => {
    let observations = 0;
    const wait = waitOn(async () => {
      observations += 1;
      return observations === 3 ? done('there') : { done: false, reason: `poll ${observations}` };
    });
    const outcome = await new MockActivityEnvironment().run(async () => await pollUntil(wait));
    expect(outcome).toEqual({ outcome: 'done', value: 'there', at: 1_010_000 });
  });

  test('leaves an error of its own to the next attempt, and after some attempts to an operator', async () => {
    const faulty = waitOn(async () => {
      throw new TypeError('x is not a function');
    });
    const attempt = async (nth: number) =>
      await new MockActivityEnvironment({ attempt: nth }).run(async () => await pollUntil(faulty));
    await expect(attempt(11)).rejects.toBeInstanceOf(TypeError);
    await expect(attempt(12)).rejects.toMatchObject({ type: 'Internal', nonRetryable: true });
    const cancelled = waitOn(async () => {
      throw new CancelledFailure('WORKER_SHUTDOWN');
    });
    const late = new MockActivityEnvironment({ attempt: 99 });
    await expect(late.run(async () => await pollUntil(cancelled))).rejects.toBeInstanceOf(CancelledFailure);
  });

  test('gives up at the deadline with a problem that says what it waited for and why', async () => {
    const wait = waitOn(async () => ({ done: false, reason: '2 of 4 are Ready' }));
    const outcome = await new MockActivityEnvironment().run(async () => await pollUntil(wait));
    expect(outcome).toMatchObject({ outcome: 'failed', at: 1_060_000 });
    expect(outcome).toMatchObject({
      problem: {
        code: 'DeadlineExceeded',
        message: 'the thing: timed out after 1 min: 2 of 4 are Ready',
        hint: 'fix it',
      },
    });
  });

  test('polls once more when the deadline passes during a poll, which may have seen what was before', async () => {
    const clock = jumpingClock();
    const began: number[] = [];
    const slow = waitOn(
      async ({ now, isFinal }) => {
        began.push(now - 1_000_000);
        await clock.sleep(90_000);
        return isFinal ? done('there') : { done: false, reason: 'not yet' };
      },
      { clock },
    );
    const outcome = await new MockActivityEnvironment().run(async () => await pollUntil(slow));
    expect(outcome).toMatchObject({ outcome: 'done' });
    expect(began).toEqual([0, 95_000]);
  });

  test('waits past the deadline for what is self-resolving, and gives up as soon as it is not any more', async () => {
    let observations = 0;
    const wait = waitOn(async () => {
      observations += 1;
      return { done: false, reason: 'pods terminate', isSelfResolving: observations < 20 };
    });
    const outcome = await new MockActivityEnvironment().run(async () => await pollUntil(wait));
    expect(outcome).toMatchObject({ outcome: 'failed', at: 1_000_000 + 19 * 5_000 });
  });

  test('outlasts throttling, honours the pause that was asked for, and reports it', async () => {
    let observations = 0;
    const times: number[] = [];
    const heartbeats: Heartbeat[] = [];
    const env = new MockActivityEnvironment();
    env.on('heartbeat', (details: Heartbeat) => heartbeats.push(details));
    const clock = jumpingClock();
    const wait = waitOn(
      async () => {
        observations += 1;
        times.push(clock.now());
        if (observations <= 3) throw throttled();
        return done('there');
      },
      { clock },
    );
    expect(await env.run(async () => await pollUntil(wait))).toMatchObject({ outcome: 'done' });
    expect(times.map((time) => time - 1_000_000)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(heartbeats.at(-1)?.reason).toBe('Rate exceeded (Throttled, try 3)');
  });

  test('fails at once, with the code as type and the problem in the details, when retrying can’t help', async () => {
    const problem = { code: 'Forbidden', message: 'may not', hint: 'grant it' } as const;
    const wait = waitOn(async () => {
      throw new NodeferryError(problem);
    });
    const failure = await new MockActivityEnvironment()
      .run(async () => await pollUntil(wait))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'Forbidden', nonRetryable: true, details: [problem] });
  });

  test('continues where the attempt before it stopped', async () => {
    const details: Heartbeat = { reason: 'before', since: 980_000, until: 1_040_000, checkpoint: { seen: 7 } };
    const env = new MockActivityEnvironment({ heartbeatDetails: details });
    const contexts: unknown[] = [];
    const wait = waitOn(async (context) => {
      contexts.push(context);
      return done('there');
    });
    await env.run(async () => await pollUntil(wait));
    expect(contexts).toEqual([{ now: 1_000_000, since: 980_000, isFinal: false, checkpoint: { seen: 7 } }]);
  });

  test('keeps the first start over attempts, and the deadline stood still while no worker polled', async () => {
    // Ten seconds into its minute the first worker was lost; the second comes long after.
    const details: Heartbeat = { reason: 'before', since: 0, until: 60_000, seenAt: 10_000 };
    const contexts: PollContext[] = [];
    const wait = waitOn(async (context) => {
      contexts.push(context);
      return { done: false, reason: 'not yet' };
    });
    const env = new MockActivityEnvironment({ heartbeatDetails: details });
    const outcome = await env.run(async () => await pollUntil(wait));
    expect(outcome).toMatchObject({ outcome: 'failed', at: 1_050_000 });
    expect(contexts[0]).toMatchObject({ now: 1_000_000, since: 0 });
  });

  test('reports until when it waits and when it last observed anything, for the attempt that may follow', async () => {
    const heartbeats: Heartbeat[] = [];
    const env = new MockActivityEnvironment();
    env.on('heartbeat', (details: Heartbeat) => heartbeats.push(details));
    let observations = 0;
    const wait = waitOn(async () => {
      observations += 1;
      if (observations === 4) return done('there');
      if (observations === 3) throw error('ClusterUnreachable');
      return { done: false, reason: 'not yet' };
    });
    await env.run(async () => await pollUntil(wait));
    expect(heartbeats.at(-1)).toMatchObject({ since: 1_000_000, until: 1_060_000, seenAt: 1_005_000 });
  });

  test('says which poll is the last, for what can be returned then instead of giving up', async () => {
    const wait = waitOn(async ({ isFinal }) => (isFinal ? done('what there is') : { done: false, reason: 'not yet' }));
    const outcome = await new MockActivityEnvironment().run(async () => await pollUntil(wait));
    expect(outcome).toEqual({ outcome: 'done', value: 'what there is', at: 1_060_000 });
  });

  test('stops when it is cancelled', async () => {
    const env = new MockActivityEnvironment();
    let observations = 0;
    const wait = waitOn(async () => {
      observations += 1;
      if (observations === 2) env.cancel('CANCELLED');
      return { done: false, reason: 'not yet' };
    });
    const failure = await env.run(async () => await pollUntil(wait)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CancelledFailure);
    expect(observations).toBe(2);
  });
});

describe('the deadline of pollUntil', () => {
  /** Polls that fail with the code that `failing` returns at a time (ms since the start), and find nothing otherwise. */
  async function giveUpAt(failing: (elapsed: number) => ProblemCode | undefined): Promise<number> {
    const wait = waitOn(async ({ now }) => {
      const code = failing(now - 1_000_000);
      if (now > 1_000_000 + 3_600_000) return done('endless');
      if (code !== undefined) throw error(code);
      return { done: false, reason: 'not yet' };
    });
    const ended = async (): Promise<Outcome> => await pollUntil(wait);
    const outcome: Outcome = await new MockActivityEnvironment().run(ended);
    expect(outcome).toMatchObject({ outcome: 'failed' });
    return outcome.at - 1_000_000;
  }

  test('stands still while there are no credentials, which credentials that are refused do not', async () => {
    const refused = { code: 'Forbidden', message: 'Could not load credentials from any providers' } as const;
    const missing = new NodeferryError(refused, { lacksCredentials: true });
    const reasons: string[] = [];
    const wait = waitOn(async ({ now }) => {
      if (now < 1_000_000 + 600_000) throw missing;
      return done('found');
    });
    const environment = new MockActivityEnvironment();
    environment.on('heartbeat', ({ reason }: Heartbeat) => reasons.push(reason));
    expect(await environment.run(async () => await pollUntil(wait))).toMatchObject({ outcome: 'done' });
    expect(reasons.at(-1)).toContain('Could not load credentials from any providers (Forbidden, try');
    const denied = waitOn(async () => {
      throw new NodeferryError(refused);
    });
    const ended = new MockActivityEnvironment().run(async () => await pollUntil(denied));
    await expect(ended).rejects.toMatchObject({ type: 'Forbidden' });
  });

  test.each(['ClusterUnreachable', 'ProviderUnavailable', 'Throttled'] as const)(
    'stands still while %s keeps everything unobserved',
    async (code) => {
      const at = await giveUpAt((elapsed) => (elapsed >= 10_000 && elapsed < 600_000 ? code : undefined));
      // Blind from 10 s until the first poll after 600 s, at most one back-off later; of the minute 50 s were left.
      expect(at).toBeGreaterThanOrEqual(650_000);
      expect(at).toBeLessThanOrEqual(680_000);
    },
  );

  test('stands still while something is in progress that may end the wait, and then begins anew, in a later attempt too', async () => {
    const heartbeats: Heartbeat[] = [];
    const isInProgress = (now: number) => now < 1_000_000 + 600_000;
    const wait = waitOn(async ({ now }) => ({ done: false, reason: 'not yet', suspendsDeadline: isInProgress(now) }));
    const first = new MockActivityEnvironment();
    first.on('heartbeat', (details: Heartbeat) => heartbeats.push(details));
    const outcome: Outcome = await first.run(async () => await pollUntil(wait));
    expect(outcome).toMatchObject({ outcome: 'failed', at: 1_660_000 });

    const [heartbeatDetails] = heartbeats.filter(({ until }) => until === undefined);
    const later = { ...wait, clock: jumpingClock(9_000_000) };
    const next = new MockActivityEnvironment({ heartbeatDetails });
    expect(await next.run(async () => await pollUntil(later))).toMatchObject({ outcome: 'failed', at: 9_060_000 });
  });

  test('continues while something can be observed, though it can’t be done', async () => {
    expect(await giveUpAt((elapsed) => (elapsed >= 10_000 ? 'Conflict' : undefined))).toBe(60_000);
  });

  test('continues once something can be observed again, though it can’t be done', async () => {
    const at = await giveUpAt((elapsed) => (elapsed < 30_000 ? 'ClusterUnreachable' : 'Conflict'));
    expect(at).toBeLessThanOrEqual(150_000);
  });
});
