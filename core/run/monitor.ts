/** What the monitor of traffic and lock has found. Nothing happens in it while there is none. */
import { untouched } from '../status/outlook.ts';
import { addGap, maxCounts } from '../status/tally.ts';
import type { EventOf } from './events.ts';
import { pause } from './operators.ts';
import { recordTime } from './phases.ts';
import type { MonitorState, RunState } from './state.ts';

/** The monitor begins: the lock is ours, and nothing has been lost yet. */
export function startMonitor(state: RunState, { isMeasuring }: EventOf<'startMonitor'>): RunState {
  const { resumes, now, status } = state;
  const monitor: MonitorState = {
    since: now,
    isMeasuring,
    lockHeldAtResume: resumes,
    acceptedAtResume: resumes,
    accepted: { traffic: status.traffic, at: now },
    isExceeded: false,
    watchedUntil: undefined,
    outlook: untouched,
  };
  return { ...state, monitor };
}

/** Takes over what a watch had counted at a moment. */
export function recordTraffic(state: RunState, { counts, seenAt, clock }: EventOf<'recordTraffic'>): RunState {
  const traffic = maxCounts(state.status.traffic, counts);
  const heard = recordTime(state, { at: seenAt, clock });
  return change({ ...heard, status: { ...heard.status, traffic } }, { watchedUntil: seenAt });
}

/** Keeps what a watch knew of nodes that were out, for the next one. */
export function recordOutlook(state: RunState, { outlook }: EventOf<'recordOutlook'>): RunState {
  return change(state, { outlook });
}

/** The lock was known to be ours when the run had been resumed that often. */
export function confirmLock(state: RunState, { resumes }: EventOf<'confirmLock'>): RunState {
  return change(state, { lockHeldAtResume: resumes });
}

/** What was lost before the last resume is accepted: the budget counts from there. */
export function acceptLosses(state: RunState): RunState {
  const { monitor, resumes, status, now } = state;
  if (monitor === undefined || monitor.acceptedAtResume === resumes) return state;
  const accepted = { traffic: status.traffic, at: monitor.watchedUntil ?? now };
  return change(state, { acceptedAtResume: resumes, accepted, isExceeded: false });
}

/** More than the budget was lost: the run pauses, unless it goes back anyway. */
export function exceedBudget(state: RunState, { reason, at }: EventOf<'exceedBudget'>): RunState {
  const exceeded = change(state, { isExceeded: true });
  return state.isRollingBack ? exceeded : pause(exceeded, { by: 'nodeferry', reason, at });
}

/**
 * The monitor has ended. A watch that is stopped while it waits to be tried again answers nothing: the server cancels it as
 * ACTIVITY_ID_NOT_STARTED. What nobody has seen since is told as a time without a watch.
 */
export function stopMonitor(state: RunState): RunState {
  const { monitor, status, now } = state;
  if (monitor === undefined) return state;
  const seenUntil = monitor.watchedUntil ?? (monitor.isMeasuring ? monitor.since : undefined);
  return { ...state, monitor: undefined, status: { ...status, traffic: addGap(status.traffic, seenUntil, now) } };
}

function change(state: RunState, changes: Partial<MonitorState>): RunState {
  return state.monitor === undefined ? state : { ...state, monitor: { ...state.monitor, ...changes } };
}
