import { formatDuration } from '../text/format.ts';
import { horizonMs, type OpenPeriod } from './schedule.ts';
import type { WindowState } from './window-state.ts';
import { openPeriods, type ScheduleFacts } from './windows.ts';

/** Whether a batch may start now. */
export type StartDecision =
  | { readonly start: true }
  | {
      readonly start: false;
      /** Why not, to be shown after "waiting:". */
      readonly reason: string;
      /** When to decide again, epoch ms: the next opening. Undefined: none within 400 days. */
      readonly waitUntil: number | undefined;
    };

/** Decides whether a batch starts: only while a window is open, and only if the batch can finish before it closes. All times in ms. */
export function decideStart({
  state,
  now,
  neededMs,
}: {
  readonly state: WindowState;
  readonly now: number;
  readonly neededMs: number;
}): StartDecision {
  if (!state.open) {
    const reason = state.freeze === undefined ? 'no window is open' : `freeze ${state.freeze}`;
    return { start: false, reason, waitUntil: state.opensAt };
  }
  if (state.until === undefined || now + neededMs <= state.until) return { start: true };
  const [needed, left] = [formatDuration(neededMs), formatDuration(state.until - now)];
  return {
    start: false,
    reason: `the next batch may take ${needed}, and the window closes in ${left}`,
    waitUntil: state.opensNext,
  };
}

/** The first period that is long enough, or the longest of those that are not. */
type FittingPeriod =
  | { readonly neverFits: false; readonly period: OpenPeriod }
  | {
      readonly neverFits: true;
      /** Undefined: no window opens at all. */
      readonly longest: OpenPeriod | undefined;
    };

/** Finds the first period of the next 400 days in which something fits that takes `neededMs`. */
export function findFittingPeriod(
  facts: ScheduleFacts & { readonly now: number; readonly neededMs: number },
): FittingPeriod {
  const { now, neededMs } = facts;
  const periods = openPeriods({ ...facts, from: now, to: now + horizonMs });
  const period = periods.find((one) => lengthOf(one) >= neededMs);
  if (period !== undefined) return { neverFits: false, period };
  return { neverFits: true, longest: periods.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0] };
}

function lengthOf({ opensAt, closesAt }: OpenPeriod): number {
  return closesAt - opensAt;
}
