import type { RollbackEntry } from '../../core/run/state.ts';
import { apply, type Run } from './run.ts';

/** Records what is about to be changed. */
export function pushRollback(run: Run, entry: RollbackEntry): void {
  apply(run, { type: 'pushRollback', entry });
}

/** Strikes out what is meant to stay. */
export function dropRollback(run: Run, kind: RollbackEntry['kind']): void {
  apply(run, { type: 'dropRollback', kind });
}
