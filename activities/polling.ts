import { ApplicationFailure, activityInfo, CancelledFailure, Context, heartbeat } from '@temporalio/activity';
import { NodeferryError, type Problem, type ProblemCode, problemCodes } from '../core/model/problem.ts';
import { readProgress } from '../core/status/checkpoint.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import type { Clock } from '../ports/clock.ts';
import { openWaitReporting } from './report-waits.ts';

/** A step that reached what it waited for. `at` is the clock's time (epoch ms) of the observation that says so. */
export type Done<T> = T & { readonly outcome: 'done'; readonly at: number };

/** A step that gave up at its deadline: nothing was forced. */
export interface Failed {
  readonly outcome: 'failed';
  readonly at: number;
  readonly problem: Problem;
}

/** The named outcomes of every waiting step. */
export type Outcome<T = object> = Done<T> | Failed;

/** What one look found: the value that ends the wait, or why it goes on. */
export type Poll<T> =
  | { readonly done: true; readonly value: T }
  | {
      readonly done: false;
      readonly reason: string;
      /** What the next attempt needs, should this one die. */
      readonly checkpoint?: Heartbeat['checkpoint'];
      readonly blocked?: Heartbeat['blocked'];
      /** Look again after this time, ms, instead of the usual pause. */
      readonly requeueAfterMs?: number;
      /** The look itself says that it has taken too long. */
      readonly expired?: boolean;
      /** What the reader of the problem can do about this very reason, instead of what the wait says. */
      readonly hint?: string;
      /** The wait ends with this very problem: nothing that comes by itself would help. */
      readonly problem?: Problem;
      /** What is waited for comes by itself in a bounded time: the deadline lets it. */
      readonly isSelfResolving?: boolean;
    };

/** What a look is told: the clock's time, when the wait began, and what earlier looks left behind. */
export interface PollContext {
  readonly now: number;
  readonly since: number;
  /** The deadline has come: unless this look says done, or that it comes by itself, the wait ends without. */
  readonly isFinal: boolean;
  readonly checkpoint: object;
}

/** A wait: what for, how long, how often to look. Times in ms. */
export interface Wait<T> {
  readonly clock: Clock;
  /** What is waited for, as a person would say it; opens the problem's message. */
  readonly what: string;
  /** Undefined for a wait whose looks say themselves when it is too long. */
  readonly deadlineMs: number | undefined;
  readonly pollIntervalMs: number;
  /** What the reader of the problem can do. */
  readonly hint: string;
  readonly poll: (context: PollContext) => Promise<Poll<T>>;
}

/** Real time between two heartbeats, ms: well below the heartbeat timeout, so that a lost worker is noticed and nothing else. */
const heartbeatIntervalMs = 2_000;
const maxBackoffMs = 30_000;

/** Errors that say nothing about what is waited for, only that it can't be seen. */
const blinding: readonly ProblemCode[] = ['ClusterUnreachable', 'ProviderUnavailable', 'Throttled'];

/**
 * Looks until the look says done or the deadline passes. Retryable errors are counted, told and tried again with back-off
 * inside the attempt; while nothing can be seen at all the deadline stands still. An attempt that follows a lost one goes on from the
 * heartbeat details: same start, same deadline.
 * @throws ApplicationFailure for errors that trying again can't help; CancelledFailure when cancelled or shut down.
 */
export async function pollUntil<T extends object>(wait: Wait<T>): Promise<Outcome<T>> {
  const earlier = lastProgress();
  const since = earlier?.since ?? wait.clock.now();
  let until = firstDeadline(earlier, since, wait);
  let progress: Heartbeat = { ...(earlier ?? { reason: wait.what }), since, until, seenAt: wait.clock.now() };
  const logWait = openWaitReporting(wait.what);
  let failures = 0;
  let blindSince: number | undefined;
  return await whileHeartbeating(
    () => progress,
    async () => {
      for (;;) {
        throwIfCancelled();
        const now = wait.clock.now();
        let pause = wait.pollIntervalMs;
        let expired = false;
        let isSelfResolving = false;
        let { hint } = wait;
        let problem: Problem | undefined;
        try {
          const poll = await wait.poll({
            now,
            since,
            isFinal: until !== undefined && now >= until,
            checkpoint: progress.checkpoint ?? {},
          });
          if (poll.done) return { ...poll.value, outcome: 'done', at: wait.clock.now() };
          failures = 0;
          seeAgain(now);
          progress = progressOf(poll, { since, until, seenAt: now }, progress.checkpoint);
          pause = poll.requeueAfterMs ?? wait.pollIntervalMs;
          expired = poll.expired === true;
          isSelfResolving = poll.isSelfResolving === true;
          hint = poll.hint ?? wait.hint;
          problem = poll.problem;
        } catch (error) {
          const failure = retryable(error);
          failures += 1;
          if (blinding.includes(failure.problem.code)) blindSince ??= now;
          else seeAgain(now);
          pause = Math.max(failure.retryAfterMs ?? 0, Math.min(maxBackoffMs, 500 * 2 ** Math.min(failures, 10)));
          progress = { ...progress, reason: `${failure.problem.message} (${failure.problem.code}, try ${failures})` };
        }
        heartbeat(progress);
        logWait(progress.reason, wait.clock.now());
        if (problem !== undefined) return { outcome: 'failed', at: wait.clock.now(), problem };
        const stands = until === undefined || blindSince !== undefined;
        const untilDeadline = stands ? Number.POSITIVE_INFINITY : (until ?? 0) - wait.clock.now();
        if (expired || (untilDeadline <= 0 && !isSelfResolving))
          return deadline({ ...wait, hint }, progress, wait.clock.now());
        const left = untilDeadline <= 0 ? pause : Math.min(pause, untilDeadline);
        await wait.clock.sleep(Math.max(1, left), Context.current().cancellationSignal);
      }
    },
  );

  function seeAgain(now: number): void {
    if (until !== undefined && blindSince !== undefined) until += now - blindSince;
    blindSince = undefined;
  }
}

/** The deadline of this attempt: the last one's, moved by the time in which nobody looked because no worker was there. */
function firstDeadline(earlier: Heartbeat | undefined, since: number, wait: Wait<object>): number | undefined {
  if (wait.deadlineMs === undefined) return undefined;
  if (earlier?.until === undefined) return since + wait.deadlineMs;
  return earlier.until + Math.max(0, wait.clock.now() - (earlier.seenAt ?? since));
}

/**
 * Does one thing that may be repeated, with the same patience with errors as a wait.
 * @throws ApplicationFailure when it can't be done.
 */
export async function persist<T extends object>(
  act: Pick<Wait<T>, 'clock' | 'what' | 'hint'>,
  run: (context: PollContext) => Promise<T>,
): Promise<Outcome<T>> {
  return await pollUntil<T>({
    ...act,
    deadlineMs: 15 * 60_000,
    pollIntervalMs: 1_000,
    poll: async (context) => ({ done: true, value: await run(context) }),
  });
}

/** Runs `body` while telling Temporal, in real time, that this attempt is alive and what it is doing. */
export async function whileHeartbeating<T>(details: () => Heartbeat, body: () => Promise<T>): Promise<T> {
  heartbeat(details());
  const timer = setInterval(() => heartbeat(details()), heartbeatIntervalMs);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}

/** What the attempt before this one told last, if there was one. */
export function lastProgress(): Heartbeat | undefined {
  return readProgress(activityInfo().heartbeatDetails);
}

/** Whether this attempt was cancelled, or its worker shuts down. */
export function isCancelled(): boolean {
  return Context.current().cancellationSignal.aborted;
}

/** @throws CancelledFailure when this attempt was cancelled or its worker shuts down (which makes Temporal try again). */
export function throwIfCancelled(): void {
  Context.current().cancellationSignal.throwIfAborted();
}

/** The failure that carries a problem into workflow code; its type is the problem's code. */
export function failureOf(problem: Problem, cause?: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    message: problem.message.slice(0, 2_000),
    type: problem.code,
    nonRetryable: true,
    details: [problem],
    ...(cause instanceof Error ? { cause } : {}),
  });
}

/** A fault of our own may be over with the next attempt, on another worker; one that comes back so often is not. */
const faultyAttempts = 12;

function retryable(error: unknown): NodeferryError {
  if (!(error instanceof NodeferryError)) {
    const isOurs = !(error instanceof CancelledFailure) && !(error instanceof ApplicationFailure);
    if (isOurs && activityInfo().attempt >= faultyAttempts)
      throw failureOf({ code: 'Internal', message: String(error), hint: 'A fault of nodeferry: report it.' }, error);
    throw error;
  }
  if (!problemCodes[error.problem.code].retryable) throw failureOf(error.problem, error);
  return error;
}

function progressOf(
  poll: Exclude<Poll<object>, { done: true }>,
  times: Pick<Heartbeat, 'since' | 'until' | 'seenAt'>,
  checkpoint: Heartbeat['checkpoint'],
): Heartbeat {
  const kept = poll.checkpoint ?? checkpoint;
  return {
    reason: poll.reason,
    ...times,
    ...(poll.blocked === undefined ? {} : { blocked: poll.blocked }),
    ...(kept === undefined ? {} : { checkpoint: kept }),
  };
}

function deadline(wait: Wait<object>, progress: Heartbeat, at: number): Failed {
  const minutes = Math.round((at - progress.since) / 6_000) / 10;
  return {
    outcome: 'failed',
    at,
    problem: {
      code: 'DeadlineExceeded',
      message: `${wait.what}: not there after ${minutes} min: ${progress.reason}`,
      hint: wait.hint,
    },
  };
}
