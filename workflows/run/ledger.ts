import { handsOver } from '../../core/policy/policy.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { releasePool, retreat } from './retreat.ts';
import { attempt, nextStep, planOf, type Run } from './run.ts';
import { steps, waits } from './steps.ts';

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

/** What the cloud does when it is let go again is seen too. */
async function watchBeyondTheEnd(run: Run): Promise<void> {
  const { probes, watchAfterMs: forMs } = run.input.policy.traffic;
  run.doneAt = run.now;
  if (run.watch === undefined || probes.length === 0 || forMs === 0) return;
  const { watched } = await attempt(run, 'the probes to go on for a moment', () =>
    waits('watch beyond the end').linger({ forMs }),
  );
  if (watched !== undefined) run.watch.takeOver(watched.traffic, watched.seenAt);
}

async function giveBack(run: Run): Promise<void> {
  await attempt(run, 'released pods to be given back', () => steps('give pods back').giveBack(nextStep(run)));
}

/** Pods that nobody takes back any more, because their workload has rolled out since. */
async function evictReleased(run: Run): Promise<void> {
  await attempt(run, 'released pods to leave', () => steps('evict released pods').evictReleased(nextStep(run)));
}

async function putBack(run: Run, entry: LedgerEntry): Promise<readonly string[]> {
  switch (entry.kind) {
    case 'cordons': {
      const { nodes } = entry;
      await attempt(run, 'cordons to be taken back', () =>
        steps('uncordon').uncordonNodes({ ...nextStep(run), nodes }),
      );
      return [];
    }
    case 'released':
      await giveBack(run);
      return [];
    case 'new-pool':
      await retreat(run, planOf(run));
      // As new nodes were emptied, the pods whose replacements they had have come back.
      if (handsOver(run.input.policy)) {
        await giveBack(run);
        await evictReleased(run);
      }
      return [];
    case 'rebalancing': {
      const { pool, suspended } = entry;
      await releasePool(run, pool, suspended);
      return [];
    }
    case 'watch':
      await watchBeyondTheEnd(run);
      await run.watch?.stop();
      return [];
    case 'lock': {
      const { lock } = run;
      if (lock === undefined) return [];
      const gone = await attempt(run, 'marks and lock to be given back', () =>
        steps('sweep, unlock').letGo({ ...nextStep(run), lock }),
      );
      run.keptOnPurpose.push(...(gone.ends ?? []));
      return gone.left;
    }
  }
}
