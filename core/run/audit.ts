/** The audit trail of a run. */
import type { OperatorAction } from '../status/status.ts';
import type { Asked } from './events.ts';
import type { RunState } from './state.ts';

/** Adds to the audit trail. `of` is what the action is about: what was approved, or the node. */
export function audit(
  state: RunState,
  action: OperatorAction['action'],
  { by, reason, at }: Asked,
  of?: string,
): RunState {
  const entry = { action, by, reason, at, ...(of === undefined ? {} : { of }) };
  return { ...state, status: { ...state.status, actions: [...state.status.actions, entry] } };
}
