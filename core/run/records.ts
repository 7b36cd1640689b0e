/** Facts that the report of a run contains. */
import { addExternalChanges } from '../status/external-changes.ts';
import type { EventOf } from './events.ts';
import type { RunState } from './state.ts';

/** Records external changes. */
export function recordExternalChanges(
  state: RunState,
  { changes }: Pick<EventOf<'recordExternalChanges'>, 'changes'>,
): RunState {
  if (changes.length === 0) return state;
  const externalChanges = addExternalChanges(state.status.externalChanges, changes);
  return { ...state, status: { ...state.status, externalChanges } };
}

/** Records what could not be protected; equal texts are kept once. */
export function recordUnprotected(state: RunState, { what }: EventOf<'recordUnprotected'>): RunState {
  return { ...state, unprotected: [...new Set([...state.unprotected, ...what])] };
}

/** Records what is left changed on purpose. */
export function recordRetained(state: RunState, { what }: EventOf<'recordRetained'>): RunState {
  return { ...state, retained: [...state.retained, ...what] };
}
