import type { RollbackEntry } from './rollback-entry.ts';
import type { Run } from './run.ts';

/** Records what is about to be changed; answers the entry, for what the act adds to it. */
export function pushRollback<T extends RollbackEntry>(run: Run, entry: T): T {
  run.rollback.push(entry);
  return entry;
}

/** Strikes out what is meant to stay. */
export function dropRollback(run: Run, kind: RollbackEntry['kind']): void {
  const kept = run.rollback.filter((entry) => entry.kind !== kind);
  run.rollback.splice(0, run.rollback.length, ...kept);
}
