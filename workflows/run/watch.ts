import { CancellationScope, condition } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { WatchOutcome } from '../../activities/run-steps.ts';
import { pauseForLoss } from './handlers.ts';
import { attempt, needAttention, type Run, type RunWatch, show } from './run.ts';
import { problemOf, steps, waits } from './steps.ts';

/** Begins to watch: lost requests above the budget pause the run, a lost lock parks it. */
export function startWatch(run: Run): RunWatch {
  const scope = new CancellationScope();
  const watching = scope.run(async () => {
    let { resumes } = run;
    while (!scope.consideredCancelled) resumes = await watchOnce(run, scope, resumes);
  });
  const quiet = watching.catch(() => undefined);
  return {
    stop: async () => {
      scope.cancel();
      await quiet;
      show(run);
    },
  };
}

/** Watches until something happens. `held` is how often the run had been resumed when the lock was last known to be ours; so is the answer. */
async function watchOnce(run: Run, scope: CancellationScope, held: number): Promise<number> {
  const { policy } = run.input;
  const { lock, status, resumes } = run;
  if (lock === undefined) return held;
  const base = status.traffic;
  try {
    // What was lost before the last resume is accepted: the budget counts from there.
    const budget = base.lost + policy.traffic.lossBudget;
    const end = await watchUntilResumed(run, { policy, lock, base, budget });
    status.traffic = end.counts;
    run.now = Math.max(run.now, end.at);
    if (end.outcome === 'budget-exceeded' && !run.aborting) {
      const reason = `${end.counts.lost - base.lost} requests lost, the budget is ${policy.traffic.lossBudget}`;
      pauseForLoss(run, reason, end.at);
    }
    const heldSince = end.held ? resumes : held;
    if (end.outcome !== 'lock-lost') return heldSince;
    await needAttention(run, end.problem ?? { code: 'LockLost', message: 'the lock on the pool was lost' }, heldSince);
    const taken = await attempt(run, 'the lock on the pool', () =>
      steps('take the lock again').acquireLockAgain({ policy, run: run.input.run }),
    );
    run.lock = taken.lock;
    return run.resumes;
  } catch (error) {
    if (scope.consideredCancelled) return held;
    await needAttention(run, problemOf(error), resumes);
    return held;
  }
}

/**
 * A resume counts for a lock that was lost when it came, not for one that is lost hours later: the watch begins anew with every
 * resume, and so looks at the lock at once.
 */
async function watchUntilResumed(run: Run, input: Parameters<Activities['watchRun']>[0]): Promise<WatchOutcome> {
  const { resumes } = run;
  const scope = new CancellationScope();
  let ended = false;
  const watching = scope.run(async () => await waits('watch traffic and lock').watchRun(input));
  const end = watching.finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  // A watch that is stopped still answers its last counts.
  await CancellationScope.nonCancellable(async () => await condition(() => ended || run.resumes > resumes));
  if (!ended) scope.cancel();
  return await end;
}
