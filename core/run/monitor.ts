/** What the monitor of traffic and lock has found. While there is no monitor, its events change nothing. */

import { addUnwatchedPeriod, maxCounts } from '../status/count-traffic.ts';
import { untouched } from '../status/outlook.ts';
import type { EventOf } from './events.ts';
import { pause } from './operators.ts';
import { recordTime } from './phases.ts';
import type { MonitorState, RunState } from './state.ts';

/** The monitor starts: the run owns the lock, and nothing has been lost yet. */
export function startMonitor(state: RunState, { isMeasuring }: EventOf<'startMonitor'>): RunState {
  const { resumes, now, status } = state;
  const monitor: MonitorState = {
    since: now,
    isMeasuring,
    lockOwnedAtResume: resumes,
    acceptedAtResume: resumes,
    accepted: { traffic: status.traffic, at: now },
    isExceeded: false,
    watchedUntil: undefined,
    outlook: untouched,
  };
  return { ...state, monitor };
}

/** Merges what a monitor had counted at a moment. */
export function recordTraffic(state: RunState, { counts, seenAt, clock }: EventOf<'recordTraffic'>): RunState {
  const traffic = maxCounts(state.status.traffic, counts);
  const timed = recordTime(state, { at: seenAt, clock });
  return change({ ...timed, status: { ...timed.status, traffic } }, { watchedUntil: seenAt });
}

/** Keeps what a monitor knew about excluded nodes, for the next monitor. */
export function recordOutlook(state: RunState, { outlook }: EventOf<'recordOutlook'>): RunState {
  return change(state, { outlook });
}

/** The run was known to own the lock when it had been resumed `resumes` times. */
export function confirmLock(state: RunState, { resumes }: EventOf<'confirmLock'>): RunState {
  return change(state, { lockOwnedAtResume: resumes });
}

/** Accepts the losses before the last resume: the budget counts from there. */
export function acceptLosses(state: RunState): RunState {
  const { monitor, resumes, status, now } = state;
  if (monitor === undefined || monitor.acceptedAtResume === resumes) return state;
  const accepted = { traffic: status.traffic, at: monitor.watchedUntil ?? now };
  return change(state, { acceptedAtResume: resumes, accepted, isExceeded: false });
}

/** More than the budget was lost: the run pauses, unless it is rolling back already. */
export function exceedBudget(state: RunState, { reason, at }: EventOf<'exceedBudget'>): RunState {
  const exceeded = change(state, { isExceeded: true });
  return state.isRollingBack ? exceeded : pause(exceeded, { by: 'nodeferry', reason, at });
}

/**
 * The monitor has ended. A monitor that is stopped while it waits for its next attempt returns nothing: the server cancels it as
 * ACTIVITY_ID_NOT_STARTED. The time since its last counts is reported as a period without a monitor.
 */
export function stopMonitor(state: RunState): RunState {
  const { monitor, status, now } = state;
  if (monitor === undefined) return state;
  const seenUntil = monitor.watchedUntil ?? (monitor.isMeasuring ? monitor.since : undefined);
  return {
    ...state,
    monitor: undefined,
    status: { ...status, traffic: addUnwatchedPeriod(status.traffic, seenUntil, now) },
  };
}

function change(state: RunState, changes: Partial<MonitorState>): RunState {
  return state.monitor === undefined ? state : { ...state, monitor: { ...state.monitor, ...changes } };
}
