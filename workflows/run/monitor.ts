import { CancellationScope, condition } from '@temporalio/workflow';
import type { WatchInput, WatchOutcome } from '../../activities/monitor-steps.ts';
import { type Accepted, explainExceeded, lostByUs } from '../../core/status/losses.ts';
import { type Outlook, untouched } from '../../core/status/outlook.ts';
import type { TrafficCounts } from '../../core/status/status.ts';
import { addGap, maxCounts, reportIntervalMs } from '../../core/status/tally.ts';
import { pauseForLoss } from './handlers.ts';
import { lastCountsIn } from './last-counts.ts';
import { hear, type Monitor, publishDetails, type Run, runUntilDone, stallUntilResumed } from './run.ts';
import { failWith, problemOf, steps, waits } from './steps.ts';

/** A watch that failed after less than this, ms, would only fail again. */
const minWatchMs = 60_000;

/** What is remembered from one watch to the next. */
interface Watching {
  /** How often the run had been resumed when the lock was last known to be ours. */
  heldSince: number;
  /** How often it had been resumed when what was lost until then was accepted. */
  resumes: number;
  /** What was counted by then. */
  accepted: Accepted;
  /** More than the budget was lost since by what can be the run's doing. */
  exceeded: boolean;
  /** Epoch ms at which a watch saw anything last. */
  watchedUntil: number | undefined;
  /** What it knew of nodes that were out. */
  outlook: Outlook;
}

/** Begins to watch: lost requests above the budget pause the run, a lost lock parks it. */
export function startWatch(run: Run): Monitor {
  const scope = new CancellationScope();
  const { resumes, status, now: begunAt } = run;
  const isMeasuring = run.input.policy.traffic.probes.length > 0;
  const watching: Watching = {
    heldSince: resumes,
    resumes,
    accepted: { traffic: status.traffic, at: begunAt },
    exceeded: false,
    watchedUntil: undefined,
    outlook: untouched,
  };
  const going = scope.run(async () => {
    while (!scope.consideredCancelled) await watchOnce(run, scope, watching);
  });
  const quiet = going.catch(() => undefined);
  return {
    takeOver: (counts, seenAt) => takeOver(run, watching, counts, seenAt),
    stop: async () => {
      scope.cancel();
      await quiet;
      // A watch that is stopped while it waits to be tried again answers nothing: the server cancels it as ACTIVITY_ID_NOT_STARTED.
      const seenUntil = watching.watchedUntil ?? (isMeasuring ? begunAt : undefined);
      status.traffic = addGap(status.traffic, seenUntil, run.now);
      publishDetails(run);
    },
  };
}

/** Watches until something happens, or until it is time to tell what was counted. */
async function watchOnce(run: Run, scope: CancellationScope, watching: Watching): Promise<void> {
  const { resumes } = run;
  try {
    const end = await watchUntilResumed(run, watching);
    takeOver(run, watching, end.counts, end.at);
    watching.outlook = end.outlook;
    if (end.outcome === 'budget-exceeded') exceed(run, watching, end);
    if (end.held) watching.heldSince = resumes;
    if (end.outcome === 'lock-lost') await takeLockAgain(run, watching, end);
  } catch (error) {
    const tally = lastCountsIn(error);
    if (tally !== undefined) takeOver(run, watching, tally.traffic, tally.seenAt);
    watching.outlook = tally?.checkpoint?.outlook ?? watching.outlook;
    const watchedMs = tally === undefined ? 0 : tally.seenAt - tally.since;
    if (scope.consideredCancelled || watchedMs >= minWatchMs) return;
    await stallUntilResumed(run, problemOf(error), resumes);
  }
}

/**
 * A resume counts for a lock that was lost when it came, not for one that is lost hours later: the watch begins anew with every
 * resume, and so looks at the lock at once.
 */
async function watchUntilResumed(run: Run, watching: Watching): Promise<WatchOutcome> {
  const { resumes } = run;
  const input = nextInput(run, watching);
  const scope = new CancellationScope();
  let ended = false;
  const going = scope.run(async () => await waits('watch traffic and lock').monitorRun(input));
  const end = going.finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  // A watch that is stopped still answers its last counts.
  await CancellationScope.nonCancellable(async () => await condition(() => ended || run.resumes > resumes));
  if (!ended) scope.cancel();
  return await end;
}

function nextInput({ input, lock, resumes, status, now }: Run, watching: Watching): WatchInput {
  const { policy } = input;
  if (lock === undefined) throw failWith({ code: 'Internal', message: 'nothing is watched without the lock' });
  // What was lost before the last resume is accepted: the budget counts from there.
  if (watching.resumes < resumes) {
    const at = watching.watchedUntil ?? now;
    Object.assign(watching, { resumes, accepted: { traffic: status.traffic, at }, exceeded: false });
  }
  const { accepted, exceeded, watchedUntil, outlook } = watching;
  return {
    policy,
    lock,
    base: status.traffic,
    ...(policy.traffic.probes.length === 0 ? {} : { reportIntervalMs: reportIntervalMs(now - status.startedAt) }),
    ...(exceeded ? {} : { budget: lostByUs(accepted.traffic) + policy.traffic.lossBudget }),
    ...(watchedUntil === undefined ? {} : { watchedUntil }),
    outlook,
  };
}

function takeOver(run: Run, watching: Watching, counts: TrafficCounts, seenAt: number): void {
  run.status.traffic = maxCounts(run.status.traffic, counts);
  hear(run, seenAt);
  watching.watchedUntil = seenAt;
  publishDetails(run);
}

function exceed(run: Run, watching: Watching, { counts, at }: WatchOutcome): void {
  watching.exceeded = true;
  const reason = explainExceeded(counts, watching.accepted, run.input.policy.traffic.lossBudget);
  if (!run.aborting) pauseForLoss(run, reason, at);
}

async function takeLockAgain(run: Run, watching: Watching, { problem }: WatchOutcome): Promise<void> {
  const { policy, run: name } = run.input;
  const lost = problem ?? { code: 'LockLost', message: 'the lock on the pool was lost' };
  await stallUntilResumed(run, lost, watching.heldSince);
  const taken = await runUntilDone(run, 'the lock on the pool', () =>
    steps('take the lock again').reacquireLock({ policy, run: name }),
  );
  run.lock = taken.lock;
  watching.heldSince = run.resumes;
}
