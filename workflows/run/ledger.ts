import type { LedgerEntry } from './ledger-entry.ts';
import { retreat } from './retreat.ts';
import { attempt, planOf, type Run } from './run.ts';
import { steps } from './steps.ts';

/** Records what is about to be changed; answers the entry, for what the act adds to it. */
export function record<T extends LedgerEntry>(run: Run, entry: T): T {
  run.ledger.push(entry);
  return entry;
}

/** Strikes out what is meant to stay. */
export function settled(run: Run, kind: LedgerEntry['kind']): void {
  const index = run.ledger.findLastIndex((entry) => entry.kind === kind);
  if (index >= 0) run.ledger.splice(index, 1);
}

/** Puts back everything on the ledger, newest first; answers what could not be put back, in words. */
export async function putBackAll(run: Run): Promise<readonly string[]> {
  const left: string[] = [];
  for (;;) {
    const entry = run.ledger.at(-1);
    if (entry === undefined) return left;
    left.push(...(await putBack(run, entry)));
    run.ledger.pop();
  }
}

async function putBack(run: Run, entry: LedgerEntry): Promise<readonly string[]> {
  const { run: name } = run.input;
  switch (entry.kind) {
    case 'cordons': {
      const { nodes } = entry;
      await attempt(run, 'cordons to be taken back', () => steps('uncordon').uncordonNodes({ nodes, run: name }));
      return [];
    }
    case 'new-pool':
      await retreat(run, planOf(run));
      return [];
    case 'rebalancing': {
      const { pool, suspended } = entry;
      await attempt(run, `${pool.name} to be released`, () =>
        steps(`release ${pool.name}`).releaseRebalancing({ pool, suspended }),
      );
      return [];
    }
    case 'watch':
      await run.watch?.stop();
      return [];
    case 'lock': {
      const { lock } = run;
      if (lock === undefined) return [];
      const gone = await attempt(run, 'marks and lock to be given back', () =>
        steps('sweep, unlock').letGo({ run: name, policy: run.input.policy, lock }),
      );
      return gone.left;
    }
  }
}
