import { ApplicationFailure, activityInfo, CancelledFailure, Context, heartbeat } from '@temporalio/activity';
import { isRetryable, NodeferryError, type Problem, type ProblemCode } from '../core/model/problem.ts';
import { readProgress } from '../core/status/checkpoint.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import type { Clock } from '../ports/clock.ts';
import { openWaitReporting } from './report-waits.ts';

/** A step that reached what it waited for. `at` is the time (epoch ms) of the observation that says so. */
export type Done<T> = T & { readonly outcome: 'done'; readonly at: number };

/** A step that failed, for example at its deadline: nothing was forced. */
interface Failed {
  readonly outcome: 'failed';
  readonly at: number;
  readonly problem: Problem;
}

/** The outcomes of every waiting step. */
export type Outcome<T = object> = Done<T> | Failed;

/** The result of one poll: the value that ends the wait, or why it continues. */
export type Poll<T> =
  | { readonly done: true; readonly value: T }
  | {
      readonly done: false;
      readonly reason: string;
      /** What the next attempt needs if this one dies. */
      readonly checkpoint?: Heartbeat['checkpoint'];
      readonly blocked?: Heartbeat['blocked'];
      readonly remedy?: string | undefined;
      /** Poll again after this time, ms, instead of the usual interval. */
      readonly requeueAfterMs?: number;
      /** The poll itself says that it has taken too long. */
      readonly expired?: boolean;
      /** Something is in progress that may end the wait: the deadline begins anew with the first poll that does not say so. */
      readonly suspendsDeadline?: boolean;
      /** What the reader of the problem can do about this reason, instead of the hint of the wait. */
      readonly hint?: string;
      /** The wait ends with this problem: waiting longer would not help. */
      readonly problem?: Problem;
      /** What is waited for happens by itself in a bounded time: the deadline does not end the wait. */
      readonly isSelfResolving?: boolean;
    };

/** Input of a poll: the time, when the wait began, and what earlier polls have left behind. */
export interface PollContext {
  readonly now: number;
  readonly since: number;
  /** The deadline has passed: unless this poll is done or self-resolving, the wait ends without success. */
  readonly isFinal: boolean;
  readonly checkpoint: object;
}

/** A wait: what for, how long, how often to poll. Times in ms. */
export interface Wait<T> {
  readonly clock: Clock;
  /** What is waited for, as text; opens the problem's message. */
  readonly what: string;
  /** Undefined for a wait whose polls say themselves when it has taken too long. */
  readonly deadlineMs: number | undefined;
  readonly pollIntervalMs: number;
  /** What the reader of the problem can do. */
  readonly hint: string;
  readonly poll: (context: PollContext) => Promise<Poll<T>>;
}

/** Real time between two heartbeats, ms: well below the heartbeat timeout, so that only a lost worker exceeds it. */
const heartbeatIntervalMs = 2_000;
const maxBackoffMs = 30_000;

/** Errors that say nothing about what is waited for, only that it can't be observed. */
const blinding: readonly ProblemCode[] = ['ClusterUnreachable', 'ProviderUnavailable', 'Throttled'];

function isBlinding({ problem, lacksCredentials }: NodeferryError): boolean {
  return lacksCredentials || blinding.includes(problem.code);
}

/**
 * Polls until the poll is done or the deadline passes. Retryable errors are counted, reported and retried with back-off inside the attempt.
 * While nothing can be observed, the deadline does not advance. An attempt that follows a lost one continues from the heartbeat details:
 * same start, same deadline.
 * @throws ApplicationFailure for errors that are not retryable; CancelledFailure when cancelled or shut down.
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
          endBlindTime(now);
          if (poll.suspendsDeadline === true) until = undefined;
          else if (wait.deadlineMs !== undefined) until ??= now + wait.deadlineMs;
          progress = progressOf(poll, { since, until, seenAt: now }, progress.checkpoint);
          pause = poll.requeueAfterMs ?? wait.pollIntervalMs;
          expired = poll.expired === true;
          isSelfResolving = poll.isSelfResolving === true;
          hint = poll.hint ?? wait.hint;
          problem = poll.problem;
        } catch (error) {
          const failure = retryable(error);
          failures += 1;
          if (isBlinding(failure)) blindSince ??= now;
          else endBlindTime(now);
          pause = Math.max(failure.retryAfterMs ?? 0, Math.min(maxBackoffMs, 500 * 2 ** Math.min(failures, 10)));
          progress = { ...progress, reason: `${failure.problem.message} (${failure.problem.code}, try ${failures})` };
        }
        heartbeat(progress);
        logWait(progress.reason, wait.clock.now());
        if (problem !== undefined) return { outcome: 'failed', at: wait.clock.now(), problem };
        const stands = until === undefined || blindSince !== undefined;
        const untilDeadline = stands ? Number.POSITIVE_INFINITY : (until ?? 0) - wait.clock.now();
        // What a poll saw that began before the deadline can be as old as the poll took: minutes, behind hundreds of target groups.
        const isTooLate = untilDeadline <= 0 && now >= (until ?? now);
        if (expired || (isTooLate && !isSelfResolving)) return deadline({ ...wait, hint }, progress, wait.clock.now());
        const left = untilDeadline <= 0 ? pause : Math.min(pause, untilDeadline);
        await wait.clock.sleep(Math.max(1, left), Context.current().cancellationSignal);
      }
    },
  );

  function endBlindTime(now: number): void {
    if (until !== undefined && blindSince !== undefined) until += now - blindSince;
    blindSince = undefined;
  }
}

/** The deadline of this attempt: that of the last attempt, moved by the time in which no worker polled. Undefined when it was suspended. */
function firstDeadline(earlier: Heartbeat | undefined, since: number, wait: Wait<object>): number | undefined {
  if (wait.deadlineMs === undefined) return undefined;
  if (earlier === undefined) return since + wait.deadlineMs;
  if (earlier.until === undefined) return undefined;
  return earlier.until + Math.max(0, wait.clock.now() - (earlier.seenAt ?? since));
}

/**
 * Does one thing that is safe to repeat, and retries errors as a wait does. `around` may keep it waiting.
 * @throws ApplicationFailure when it can't be done.
 */
export async function retryUntilDone<T extends object>(
  act: Pick<Wait<T>, 'clock' | 'what' | 'hint'>,
  run: (context: PollContext) => Promise<T>,
  around: (poll: Wait<T>['poll']) => Wait<T>['poll'] = (poll) => poll,
): Promise<Outcome<T>> {
  return await pollUntil<T>({
    ...act,
    deadlineMs: 15 * 60_000,
    pollIntervalMs: 1_000,
    poll: around(async (context) => ({ done: true, value: await run(context) })),
  });
}

/** Runs `body` while heartbeats tell Temporal, in real time, that this attempt is alive and what it is doing. */
export async function whileHeartbeating<T>(details: () => Heartbeat, body: () => Promise<T>): Promise<T> {
  heartbeat(details());
  const timer = setInterval(() => heartbeat(details()), heartbeatIntervalMs);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}

/** The last heartbeat of the previous attempt, if there was one. */
export function lastProgress(): Heartbeat | undefined {
  return readProgress(activityInfo().heartbeatDetails);
}

/** Whether this attempt was cancelled, or its worker is shutting down. */
export function isCancelled(): boolean {
  return Context.current().cancellationSignal.aborted;
}

/** @throws CancelledFailure when this attempt was cancelled or its worker is shutting down (Temporal then retries it). */
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

/** Attempts until an error of nodeferry's own counts as permanent: the next attempt, on another worker, may succeed. */
const faultyAttempts = 12;

function retryable(error: unknown): NodeferryError {
  if (!(error instanceof NodeferryError)) {
    const isOurs = !(error instanceof CancelledFailure) && !(error instanceof ApplicationFailure);
    if (isOurs && activityInfo().attempt >= faultyAttempts)
      throw failureOf(
        { code: 'Internal', message: String(error), hint: 'This is a bug in nodeferry: report it.' },
        error,
      );
    throw error;
  }
  if (!isRetryable(error) && !error.lacksCredentials) throw failureOf(error.problem, error);
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
    ...(poll.remedy === undefined ? {} : { remedy: poll.remedy }),
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
      message: `${wait.what}: timed out after ${minutes} min: ${progress.reason}`,
      hint: wait.hint,
    },
  };
}
