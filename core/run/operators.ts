/** What operators ask of a run. A run that loses too many requests pauses itself in the same way. */

import type { OperatorAction } from '../status/status.ts';
import type { Asked, EventOf } from './events.ts';
import { retryStalled } from './stalled.ts';
import type { RunState } from './state.ts';

/** No further node is excluded until somebody resumes. A run that is paused already keeps its reason. */
export function pause(state: RunState, event: Asked): RunState {
  const { by, reason, at } = event;
  const audited = audit(state, 'pause', event);
  return { ...audited, status: { ...audited.status, paused: state.status.paused ?? { by, reason, at } } };
}

/** Ends a pause; everything that is stalled tries again. */
export function resume(state: RunState, event: Asked): RunState {
  return goOn(audit(state, 'resume', event));
}

/** The run goes backwards because somebody wants it. */
export function abort(state: RunState, event: Asked): RunState {
  return beginRollback(audit(state, 'abort', event));
}

/**
 * From now on the run goes backwards; what it waited for an operator for is moot. Rolling back needs the lock too: whoever waits to take
 * it again tries now. A node past the point of no return has to go on.
 */
export function beginRollback(state: RunState): RunState {
  return { ...goOn(state), isRollingBack: true };
}

/** An update that nobody has answered is taken back. */
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
