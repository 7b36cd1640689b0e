import { surgesPods } from '../../core/policy/policy.ts';
import type { RollbackEntry } from '../../core/run/state.ts';
import { removeNewNodes, restoreScaling } from './remove-new-nodes.ts';
import { apply, nextStep, type Run, requirePlan, runUntilDone } from './run.ts';
import { steps, waits } from './steps.ts';

/** Puts back everything on the ledger, newest first; answers what could not be put back, in words. */
export async function unwind(run: Run): Promise<readonly string[]> {
  const left: string[] = [];
  for (;;) {
    const entry = run.state.rollback.at(-1);
    if (entry === undefined) return left;
    left.push(...(await restore(run, entry)));
    apply(run, { type: 'popRollback' });
  }
}

/** What the cloud does when it is let go again is seen too. */
async function watchAfterEnd(run: Run): Promise<void> {
  const { probes, watchAfterMs: durationMs } = run.input.policy.traffic;
  const { monitor } = run.handles;
  apply(run, { type: 'setIdle' });
  if (monitor === undefined || probes.length === 0 || durationMs === 0) return;
  const { watched } = await runUntilDone(run, 'the probes to continue for a moment', () =>
    waits('watch beyond the end').sleepFor({ durationMs }),
  );
  if (watched !== undefined) monitor.takeOver(watched.traffic, watched.seenAt);
}

async function adoptPods(run: Run): Promise<void> {
  await runUntilDone(run, 'released pods to be adopted', () => steps('give pods back').adoptPods(nextStep(run)));
}

/** Pods that nobody takes back any more, because their workload has rolled out since. */
async function evictReleased(run: Run): Promise<void> {
  await runUntilDone(run, 'released pods to leave', () => steps('evict released pods').evictReleased(nextStep(run)));
}

async function restore(run: Run, entry: RollbackEntry): Promise<readonly string[]> {
  switch (entry.kind) {
    case 'cordons': {
      const { nodes } = entry;
      await runUntilDone(run, 'cordons to be taken back', () =>
        steps('uncordon').uncordonNodes({ ...nextStep(run), nodes }),
      );
      return [];
    }
    case 'released':
      await adoptPods(run);
      return [];
    case 'new-pool':
      await removeNewNodes(run, requirePlan(run));
      // As new nodes were emptied, the pods whose replacements they had have come back.
      if (surgesPods(run.input.policy)) {
        await adoptPods(run);
        await evictReleased(run);
      }
      return [];
    case 'rebalancing': {
      const { pool, suspended } = entry;
      await restoreScaling(run, pool, suspended);
      return [];
    }
    case 'watch':
      await watchAfterEnd(run);
      await run.handles.monitor?.stop();
      return [];
    case 'lock': {
      const { lock } = run.state;
      if (lock === undefined) return [];
      const gone = await runUntilDone(run, 'cleanup, and release of the lock', () =>
        steps('clean up, release the lock').cleanUp({ ...nextStep(run), lock }),
      );
      apply(run, { type: 'recordRetained', what: gone.ends ?? [] });
      return gone.left;
    }
  }
}
