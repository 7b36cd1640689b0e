import { CancellationScope } from '@temporalio/workflow';
import { attempt, needAttention, type Run, type RunWatch, show } from './run.ts';
import { problemOf, steps } from './steps.ts';

/** Begins to watch: lost requests above the budget pause the run, a lost lock parks it. */
export function startWatch(run: Run): RunWatch {
  const scope = new CancellationScope();
  const watching = scope.run(async () => {
    while (!scope.consideredCancelled) await watchOnce(run, scope);
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

async function watchOnce(run: Run, scope: CancellationScope): Promise<void> {
  const { policy } = run.input;
  const { lock, status } = run;
  if (lock === undefined) return;
  const base = status.traffic;
  try {
    // What was lost before the last resume is accepted: the budget counts from there.
    const budget = base.lost + policy.traffic.lossBudget;
    const end = await steps('watch traffic and lock').watchRun({ policy, lock, base, budget });
    status.traffic = end.counts;
    run.now = Math.max(run.now, end.at);
    if (end.outcome === 'budget-exceeded' && !run.aborting) {
      const reason = `${end.counts.lost - base.lost} requests lost, the budget is ${policy.traffic.lossBudget}`;
      status.paused ??= { by: 'nodeferry', reason, at: end.at };
      status.actions = [...status.actions, { action: 'pause', by: 'nodeferry', reason, at: end.at }];
      show(run);
    }
    if (end.outcome === 'lock-lost') {
      await needAttention(run, end.problem ?? { code: 'LockLost', message: 'the lock on the pool was lost' });
      const taken = await attempt(run, 'the lock on the pool', () =>
        steps('take the lock again').acquireLock({ policy, run: run.input.run }),
      );
      run.lock = taken.lock;
    }
  } catch (error) {
    if (scope.consideredCancelled) return;
    await needAttention(run, problemOf(error));
  }
}
