/** What operators request of a run. A run that loses too many requests pauses itself in the same way. */

import { count } from '../text/format.ts';
import { audit } from './audit.ts';
import type { Asked, EventOf } from './events.ts';
import { missingApproval } from './missing-approval.ts';
import { clearStalled, retryStalled } from './stalled.ts';
import type { RunState } from './state.ts';

/**
 * No further node is excluded until an operator resumes. A run that is already paused keeps its first reason, unless that pause would end by
 * itself.
 */
export function pause(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'pause', event);
  const before = state.status.paused?.endsByItself === true ? undefined : state.status.paused;
  return { ...audited, status: { ...audited.status, paused: before ?? { by, reason, at } } };
}

/** Ends a pause; everything that is stalled is retried. What nobody has approved still waits for that. */
export function resume(state: RunState, event: Asked): RunState {
  return goOn(audit(state, 'resume', event), missingApproval(state));
}

/** The stalled step of one node is retried; others stay stalled. */
export function retry(state: RunState, event: EventOf<'retry'>): RunState {
  const { node: name } = event;
  if (state.stalledNodes[name] === undefined) return state;
  const audited = audit(state, 'retry', event, name);
  const retries = { ...state.retries, [name]: (state.retries[name] ?? 0) + 1 };
  return clearStalled({ ...audited, retries }, { name });
}

/** The run rolls back because an operator requested it: as many new nodes stay as old ones were replaced. It takes the place of a rollback. */
export function abort(state: RunState, event: Asked): RunState {
  const { rollback: _, ...status } = state.status;
  return beginRollback(audit({ ...state, status }, 'abort', event));
}

/** The run goes back to the old pool, at its size: all new nodes leave. It takes the place of an abort. */
export function rollback(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'rollback', event);
  return beginRollback({ ...audited, status: { ...audited.status, rollback: { by, reason, at } } });
}

/** The run no longer waits for upgrade windows. */
export function overrideWindow(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'override-window', event);
  return { ...audited, status: { ...audited.status, windowOverride: { by, reason, at } } };
}

/** At most so many nodes may be in progress from now on; those that are in progress finish. */
export function setConcurrency(state: RunState, event: EventOf<'set-concurrency'>): RunState {
  const { maxInFlight } = event;
  const audited = audit(state, 'set-concurrency', event, count(maxInFlight, 'node'));
  return { ...audited, status: { ...audited.status, maxInFlight } };
}

/**
 * From now on the run rolls back; it no longer waits for an operator. Rolling back needs the lock too, so a lost lock is acquired again
 * now. A node whose step is not reversible has to finish its replacement.
 */
export function beginRollback(state: RunState): RunState {
  return { ...goOn(state), isRollingBack: true };
}

/** An operator has withdrawn an update that no worker has answered. */
export function withdraw(state: RunState, { updateId }: EventOf<'withdraw'>): RunState {
  return { ...state, withdrawn: [...state.withdrawn, updateId] };
}

function goOn(state: RunState, left: RunState['problems'] = []): RunState {
  const moving = retryStalled(state, left);
  return { ...moving, status: { ...moving.status, paused: undefined } };
}
