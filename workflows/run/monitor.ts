import { CancellationScope, condition } from '@temporalio/workflow';
import type { WatchInput, WatchOutcome } from '../../activities/monitor-steps.ts';
import type { MonitorState } from '../../core/run/state.ts';
import { explainExceeded, lostByUs } from '../../core/status/losses.ts';
import { reportIntervalMs } from '../../core/status/tally.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';
import type { Monitor } from './handles.ts';
import { lastCountsIn } from './last-counts.ts';
import { apply, type Run, runUntilDone, stallUntilResumed } from './run.ts';
import { failWith, problemOf, steps, waits } from './steps.ts';

/** A watch that failed after less than this, ms, would only fail again. */
const minWatchMs = 60_000;

/** Begins to watch: lost requests above the budget pause the run, a lost lock parks it. */
export function startWatch(run: Run): Monitor {
  const scope = new CancellationScope();
  apply(run, { type: 'startMonitor', isMeasuring: run.input.policy.traffic.probes.length > 0 });
  const going = scope.run(async () => {
    while (!scope.consideredCancelled) await watchOnce(run, scope);
  });
  const quiet = going.catch(() => undefined);
  return {
    takeOver: (counts, seenAt) => takeOver(run, counts, seenAt),
    stop: async () => {
      scope.cancel();
      await quiet;
      apply(run, { type: 'stopMonitor' });
    },
  };
}

/** Watches until something happens, or until it is time to tell what was counted. */
async function watchOnce(run: Run, scope: CancellationScope): Promise<void> {
  const { resumes } = run.state;
  try {
    const end = await watchUntilResumed(run);
    takeOver(run, end.counts, end.at);
    apply(run, { type: 'recordOutlook', outlook: end.outlook });
    if (end.outcome === 'budget-exceeded') exceed(run, end);
    if (end.held) apply(run, { type: 'confirmLock', resumes });
    if (end.outcome === 'lock-lost') await takeLockAgain(run, end);
  } catch (error) {
    const tally = lastCountsIn(error);
    if (tally !== undefined) takeOver(run, tally.traffic, tally.seenAt);
    const outlook = tally?.checkpoint?.outlook;
    if (outlook !== undefined) apply(run, { type: 'recordOutlook', outlook });
    const watchedMs = tally === undefined ? 0 : tally.seenAt - tally.since;
    if (scope.consideredCancelled || watchedMs >= minWatchMs) return;
    await stallUntilResumed(run, problemOf(error), resumes);
  }
}

/**
 * A resume counts for a lock that was lost when it came, not for one that is lost hours later: the watch begins anew with every
 * resume, and so looks at the lock at once.
 */
async function watchUntilResumed(run: Run): Promise<WatchOutcome> {
  const { resumes } = run.state;
  const input = nextInput(run);
  const scope = new CancellationScope();
  let ended = false;
  const going = scope.run(async () => await waits('watch traffic and lock').monitorRun(input));
  const end = going.finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  // A watch that is stopped still answers its last counts.
  await CancellationScope.nonCancellable(async () => await condition(() => ended || run.state.resumes > resumes));
  if (!ended) scope.cancel();
  return await end;
}

/** What was lost before the last resume is accepted. */
function nextInput(run: Run): WatchInput {
  apply(run, { type: 'acceptLosses' });
  const { policy } = run.input;
  const { lock, status, now } = run.state;
  if (lock === undefined) throw failWith({ code: 'Internal', message: 'nothing is watched without the lock' });
  const { accepted, isExceeded, watchedUntil, outlook } = monitorOf(run);
  return {
    policy,
    lock,
    base: status.traffic,
    ...(policy.traffic.probes.length === 0 ? {} : { reportIntervalMs: reportIntervalMs(now - status.startedAt) }),
    ...(isExceeded ? {} : { budget: lostByUs(accepted.traffic) + policy.traffic.lossBudget }),
    ...(watchedUntil === undefined ? {} : { watchedUntil }),
    outlook,
  };
}

function monitorOf({ state: { monitor } }: Run): MonitorState {
  if (monitor === undefined) throw failWith({ code: 'Internal', message: 'nothing is watched yet' });
  return monitor;
}

function takeOver(run: Run, counts: TrafficCounts, seenAt: number): void {
  apply(run, { type: 'recordTraffic', counts, seenAt, clock: Date.now() });
}

/** The run pauses; nodes that have only begun to leave come back in, as far as they still can. */
function exceed(run: Run, { counts, at }: WatchOutcome): void {
  const reason = explainExceeded(counts, monitorOf(run).accepted, run.input.policy.traffic.lossBudget);
  apply(run, { type: 'exceedBudget', reason, at });
  if (run.state.isRollingBack) return;
  for (const { recall } of Object.values(run.handles.nodes)) {
    recall(`the run was paused: ${reason}`).catch(() => undefined);
  }
}

async function takeLockAgain(run: Run, { problem }: WatchOutcome): Promise<void> {
  const { policy, run: name } = run.input;
  const lost = problem ?? { code: 'LockLost', message: 'the lock on the pool was lost' };
  await stallUntilResumed(run, lost, monitorOf(run).lockHeldAtResume);
  const taken = await runUntilDone(run, 'the lock on the pool', () =>
    steps('take the lock again').reacquireLock({ policy, run: name }),
  );
  apply(run, { type: 'recordLock', lock: taken.lock });
  apply(run, { type: 'confirmLock', resumes: run.state.resumes });
}
