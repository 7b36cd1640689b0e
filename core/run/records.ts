/** What the report of a run has to tell. */
import { addExternalChanges } from '../status/external-changes.ts';
import type { EventOf } from './events.ts';
import type { RunState } from './state.ts';

/** Keeps what others did. */
export function recordExternalChanges(
  state: RunState,
  { changes }: Pick<EventOf<'recordExternalChanges'>, 'changes'>,
): RunState {
  if (changes.length === 0) return state;
  const externalChanges = addExternalChanges(state.status.externalChanges, changes);
  return { ...state, status: { ...state.status, externalChanges } };
}

/** Keeps what could not be protected; the same is told once. */
export function recordUnprotected(state: RunState, { what }: EventOf<'recordUnprotected'>): RunState {
  return { ...state, unprotected: [...new Set([...state.unprotected, ...what])] };
}

/** Keeps what stays as it is on purpose. */
export function recordRetained(state: RunState, { what }: EventOf<'recordRetained'>): RunState {
  return { ...state, retained: [...state.retained, ...what] };
}
