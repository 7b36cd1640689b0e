/** The list of what a run has changed and must roll back, oldest first. */
import type { EventOf } from './events.ts';
import type { RollbackEntry, RunState } from './state.ts';

/** Whether a change of this kind must be rolled back. */
export function mustRollBack({ rollback }: RunState, kind: RollbackEntry['kind']): boolean {
  return rollback.some((entry) => entry.kind === kind);
}

/** Records a change that is about to be made. */
export function pushRollback(state: RunState, { entry }: EventOf<'pushRollback'>): RunState {
  return { ...state, rollback: [...state.rollback, entry] };
}

/** Drops entries of a kind: their changes are meant to stay. */
export function dropRollback(state: RunState, { kind }: EventOf<'dropRollback'>): RunState {
  return { ...state, rollback: state.rollback.filter((entry) => entry.kind !== kind) };
}

/** The newest entry has been rolled back. */
export function popRollback(state: RunState): RunState {
  return { ...state, rollback: state.rollback.slice(0, -1) };
}

/** Records what was suspended on a pool, so that exactly that is restored. */
export function recordSuspended(state: RunState, { pool, suspended }: EventOf<'recordSuspended'>): RunState {
  const rollback = state.rollback.map((entry) =>
    entry.kind === 'scaling' && entry.pool.name === pool.name ? { ...entry, suspended } : entry,
  );
  return { ...state, rollback };
}
