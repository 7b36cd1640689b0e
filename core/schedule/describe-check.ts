import { formatDuration } from '../text/format.ts';
import { describeWindowState, formatWhen } from './describe-schedule.ts';
import { findFittingPeriod, type StartDecision } from './fits.ts';
import type { NeededTime } from './needed-time.ts';
import type { WindowState } from './window-state.ts';
import type { ScheduleFacts } from './windows.ts';

/** A check of the upgrade windows, and what it found. `now` is epoch ms. */
interface CheckedWindows {
  readonly facts: ScheduleFacts;
  readonly state: WindowState;
  readonly decision: StartDecision;
  readonly needed: NeededTime;
  readonly now: number;
}

/**
 * What a check of the upgrade windows found, in one sentence: `open until Tue 04:00 (in 2h 10m)`; or what is waited for, with the opening at
 * which the work fits, or with the longest window where it fits into none.
 */
export function describeWindowCheck({ facts, state, decision, needed, now }: CheckedWindows): string {
  if (decision.start) return describeWindowState(state, now, facts.zone);
  const from = state.open ? (state.until ?? now) : now;
  const fitting = findFittingPeriod({ ...facts, now: from, neededMs: needed.ms });
  const why = `an upgrade window: ${decision.reason}`;
  if (!fitting.neverFits) return `${why}; continues ${formatWhen(fitting.period.opensAt, now, facts.zone)}`;
  if (fitting.longest === undefined) return `${why}; none opens within 400 days`;
  const maxLengthMs = fitting.longest.closesAt - fitting.longest.opensAt;
  return `${why}; a batch may take ${needed.source}, and the longest window of the next 400 days lasts ${formatDuration(maxLengthMs)}`;
}
