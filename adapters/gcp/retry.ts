import { NodeferryError } from '../../core/model/problem.ts';
import type { Clock } from '../../ports/clock.ts';
import { type GoogleCall, toNodeferryError } from './errors.ts';

/** How often a call that may be repeated is made, and how long it pauses before that. */
export interface RetryTiming {
  readonly clock: Clock;
  readonly maxAttempts: number;
  /** Waits until one more call may be made, before each attempt. Absent where nothing limits the rate. */
  readonly queue?: () => Promise<void>;
}

const firstPauseMs = 500;

/** Makes a call once and translates the error that it throws. */
export async function callOnce<T>(call: GoogleCall, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw toNodeferryError(error, call);
  }
}

/**
 * Makes a call again that failed for the rate (403 `rateLimitExceeded`, which no client of Google's repeats, or 429) or on Google's side. Only for
 * calls that change nothing, and for those with a request ID, which take effect once.
 */
export async function callRepeatedly<T>(timing: RetryTiming, call: GoogleCall, send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await timing.queue?.();
    try {
      return await callOnce(call, send);
    } catch (error) {
      const { problem, retryAfterMs } = error as NodeferryError;
      const worthIt = problem.code === 'Throttled' || problem.code === 'ProviderUnavailable';
      if (!worthIt || attempt >= timing.maxAttempts) throw error;
      await timing.clock.sleep(retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

/** Whether the call was refused with this code. */
export function hasCode(error: unknown, code: NodeferryError['problem']['code']): error is NodeferryError {
  return error instanceof NodeferryError && error.problem.code === code;
}
