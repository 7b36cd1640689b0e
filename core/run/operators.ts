/** What operators request of a run. A run that loses too many requests pauses itself in the same way. */

import type { OperatorAction } from '../status/status.ts';
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

/** The run rolls back because an operator requested it. */
export function abort(state: RunState, event: Asked): RunState {
  return beginRollback(audit(state, 'abort', event));
}

/** The run no longer waits for upgrade windows. */
export function overrideWindow(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'override-window', event);
  return { ...audited, status: { ...audited.status, windowOverride: { by, reason, at } } };
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

function audit(state: RunState, action: OperatorAction['action'], { by, reason, at }: Asked): RunState {
  return { ...state, status: { ...state.status, actions: [...state.status.actions, { action, by, reason, at }] } };
}

function goOn(state: RunState): RunState {
  const moving = retryStalled(state);
  return { ...moving, status: { ...moving.status, paused: undefined } };
}
