import { CancellationScope, condition } from '@temporalio/workflow';
import type { MonitorInput, MonitorOutcome } from '../../activities/monitor-steps.ts';
import { type MonitorState, policyInCluster } from '../../core/run/state.ts';
import { reportIntervalMs } from '../../core/status/count-traffic.ts';
import { explainExceeded, lostByUs } from '../../core/status/losses.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';
import type { Monitor } from './handles.ts';
import { lastCountsIn } from './last-counts.ts';
import { apply, type Run, runUntilDone, stallUntilResumed } from './run.ts';
import { failWith, problemOf, steps, waits } from './steps.ts';

/** A monitor that failed within this time, ms, stalls the run: a new one would only fail again. */
const minWatchMs = 60_000;

/** Starts the monitor: lost requests above the budget pause the run, a lost lock stalls it. */
export function startMonitor(run: Run): Monitor {
  const scope = new CancellationScope();
  apply(run, { type: 'startMonitor', isMeasuring: run.input.policy.traffic.probes.length > 0 });
  const watching = scope.run(async () => {
    while (!scope.consideredCancelled) await monitorOnce(run, scope);
  });
  const quiet = watching.catch(() => undefined);
  return {
    mergeCounts: (counts, seenAt) => mergeCounts(run, counts, seenAt),
    stop: async () => {
      scope.cancel();
      await quiet;
      apply(run, { type: 'stopMonitor' });
    },
  };
}

/** Watches until something happens, or until the counts are due. */
async function monitorOnce(run: Run, scope: CancellationScope): Promise<void> {
  const { resumes } = run.state;
  try {
    const end = await monitorUntilResumed(run);
    mergeCounts(run, end.counts, end.at);
    apply(run, { type: 'recordOutlook', outlook: end.outlook });
    if (end.outcome === 'budget-exceeded') exceed(run, end);
    if (end.wasLockOwned) apply(run, { type: 'confirmLock', resumes });
    if (end.outcome === 'lock-lost') await reacquireLock(run, end);
  } catch (error) {
    const last = lastCountsIn(error);
    if (last !== undefined) mergeCounts(run, last.traffic, last.seenAt);
    const outlook = last?.checkpoint?.outlook;
    if (outlook !== undefined) apply(run, { type: 'recordOutlook', outlook });
    const watchedMs = last === undefined ? 0 : last.seenAt - last.since;
    if (scope.consideredCancelled || watchedMs >= minWatchMs) return;
    await stallUntilResumed(run, problemOf(error), resumes);
  }
}

/**
 * Starts a new monitor with every resume, which checks the lock at once. So a resume counts for a lock that was lost by then, not for one
 * that is lost hours later.
 */
async function monitorUntilResumed(run: Run): Promise<MonitorOutcome> {
  const { resumes } = run.state;
  const input = nextInput(run);
  const scope = new CancellationScope();
  let ended = false;
  const watching = scope.run(async () => await waits('monitor traffic and lock').monitorRun(input));
  const end = watching.finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  // A monitor that is stopped still returns its last counts.
  await CancellationScope.nonCancellable(async () => await condition(() => ended || run.state.resumes > resumes));
  if (!ended) scope.cancel();
  return await end;
}

/** The input of the next monitor. Losses before the last resume are accepted. */
function nextInput(run: Run): MonitorInput {
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

function mergeCounts(run: Run, counts: TrafficCounts, seenAt: number): void {
  apply(run, { type: 'recordTraffic', counts, seenAt, clock: Date.now() });
}

/**
 * Pauses the run. Nodes in progress are restored as long as none of their pods has been told to leave. Those that are just being excluded are restored
 * when their workflows start.
 */
function exceed(run: Run, { counts, at }: MonitorOutcome): void {
  const reason = explainExceeded(counts, monitorOf(run).accepted, run.input.policy.traffic.lossBudget);
  apply(run, { type: 'exceedBudget', reason, at });
  if (run.state.isRollingBack) return;
  for (const { recall } of Object.values(run.handles.nodes)) {
    recall(becausePaused(reason)).catch(() => undefined);
  }
}

/** Why a node of a run is restored that has lost more requests than its budget allows, as text. */
export function becausePaused(reason: string): string {
  return `the run was paused: ${reason}`;
}

async function reacquireLock(run: Run, { problem }: MonitorOutcome): Promise<void> {
  const { run: name } = run.input;
  const policy = policyInCluster(run.state, run.input.policy);
  const lost = problem ?? { code: 'LockLost', message: 'the lock on the pool was lost' };
  await stallUntilResumed(run, lost, monitorOf(run).lockOwnedAtResume);
  const locked = await runUntilDone(run, 'the lock on the pool', () =>
    steps('reacquire the lock').reacquireLock({ policy, run: name }),
  );
  apply(run, { type: 'recordLock', lock: locked.lock });
  apply(run, { type: 'confirmLock', resumes: run.state.resumes });
}
