import type { RollbackEntry } from '../../core/run/state.ts';
import { adoptPods, evictReleased } from './adopt-pods.ts';
import { restoreScaling, rollBackNewPool } from './remove-new-nodes.ts';
import { apply, nextStep, type Run, requirePlan, runUntilDone } from './run.ts';
import { steps, waits } from './steps.ts';

/** Rolls back every recorded change, newest first; returns what could not be rolled back, in words. */
export async function unwind(run: Run): Promise<readonly string[]> {
  const left: string[] = [];
  for (;;) {
    const entry = run.state.rollback.at(-1);
    if (entry === undefined) return left;
    left.push(...(await restore(run, entry)));
    apply(run, { type: 'popRollback' });
  }
}

/** Measures traffic for a while after the end, because the cloud may act once scaling is restored. */
async function watchAfterEnd(run: Run): Promise<void> {
  const { probes, watchAfterMs: durationMs } = run.input.policy.traffic;
  const { monitor } = run.handles;
  apply(run, { type: 'setIdle' });
  if (monitor === undefined || probes.length === 0 || durationMs === 0) return;
  const { watched } = await runUntilDone(run, 'the probes to continue for a moment', () =>
    waits('watch after the end').sleepFor({ durationMs }),
  );
  if (watched !== undefined) monitor.mergeCounts(watched.traffic, watched.seenAt);
}

async function restore(run: Run, entry: RollbackEntry): Promise<readonly string[]> {
  switch (entry.kind) {
    case 'cordons': {
      const { nodes } = entry;
      await runUntilDone(run, 'nodes to be uncordoned', () =>
        steps('uncordon').uncordonNodes({ ...nextStep(run), nodes }),
      );
      return [];
    }
    case 'released':
      await adoptPods(run);
      // No new nodes leave whose pods could be swapped with these: where a replacement serves, the released pod goes.
      if (run.input.policy.selection !== undefined) await evictReleased(run);
      return [];
    case 'new-pool':
      await rollBackNewPool(run, requirePlan(run));
      return [];
    case 'scaling': {
      const { pool, suspended } = entry;
      await restoreScaling(run, pool, suspended);
      return [];
    }
    case 'monitor':
      await watchAfterEnd(run);
      await run.handles.monitor?.stop();
      return [];
    case 'lock': {
      const { lock } = run.state;
      // The lock may have been acquired all the same: its step was cancelled before its answer came.
      const known = lock === undefined ? {} : { lock };
      const cleaned = await runUntilDone(run, 'cleanup, and release of the lock', () =>
        steps('clean up, release the lock').cleanUp({ ...nextStep(run), ...known }),
      );
      apply(run, { type: 'recordRetained', what: cleaned.ends ?? [] });
      return cleaned.left;
    }
  }
}
