import type { LedgerEntry } from './ledger-entry.ts';
import type { Run } from './run.ts';

/** Records what is about to be changed; answers the entry, for what the act adds to it. */
export function record<T extends LedgerEntry>(run: Run, entry: T): T {
  run.ledger.push(entry);
  return entry;
}

/** Strikes out what is meant to stay. */
export function settled(run: Run, kind: LedgerEntry['kind']): void {
  const kept = run.ledger.filter((entry) => entry.kind !== kind);
  run.ledger.splice(0, run.ledger.length, ...kept);
}
