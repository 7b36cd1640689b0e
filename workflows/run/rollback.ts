import type { RollbackEntry } from '../../core/run/state.ts';
import { apply, type Run } from './run.ts';

/** Records a change that is about to be made. */
export function pushRollback(run: Run, entry: RollbackEntry): void {
  apply(run, { type: 'pushRollback', entry });
}

/** Drops changes that are meant to stay. */
export function dropRollback(run: Run, kind: RollbackEntry['kind']): void {
  apply(run, { type: 'dropRollback', kind });
}
