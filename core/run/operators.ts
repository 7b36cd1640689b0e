/** What operators request of a run. A run that loses too many requests pauses itself in the same way. */

import type { OperatorAction } from '../status/status.ts';
import { count } from '../text/format.ts';
import type { Asked, EventOf } from './events.ts';
import { retryStalled } from './stalled.ts';
import type { RunState } from './state.ts';

/** No further node is excluded until an operator resumes. A run that is already paused keeps its first reason. */
export function pause(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'pause', event);
  return { ...audited, status: { ...audited.status, paused: state.status.paused ?? { by, reason, at } } };
}

/** Ends a pause; everything that is stalled is retried. */
export function resume(state: RunState, event: Asked): RunState {
  return goOn(audit(state, 'resume', event));
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

/** Adds to the audit trail. `of` is what was approved or rejected. */
export function audit(
  state: RunState,
  action: OperatorAction['action'],
  { by, reason, at }: Asked,
  of?: string,
): RunState {
  const entry = { action, by, reason, at, ...(of === undefined ? {} : { of }) };
  return { ...state, status: { ...state.status, actions: [...state.status.actions, entry] } };
}

function goOn(state: RunState): RunState {
  const moving = retryStalled(state);
  return { ...moving, status: { ...moving.status, paused: undefined } };
}
