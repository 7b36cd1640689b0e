import { ApplicationFailure, Context, heartbeat } from '@temporalio/activity';
import type { PoolLock } from '../core/model/pool-lock.ts';
import { isRetryable, NodeferryError, type Problem } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import { readOutlook } from '../core/status/checkpoint.ts';
import { addUnwatchedPeriod, decideAnswer } from '../core/status/count-traffic.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import { type Outlook, untouched } from '../core/status/outlook.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import type { Observer } from '../operations/observer.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { measureTraffic } from './metrics.ts';
import { lastProgress, whileHeartbeating } from './polling.ts';
import { poolLeaseMs } from './pool-lock.ts';
import { type LossSeparator, separateLosses } from './separate-losses.ts';

/** Input of the monitor. */
export interface MonitorInput {
  readonly policy: Policy;
  readonly lock: PoolLock;
  /** What was counted before this monitor started. */
  readonly base: TrafficCounts;
  /** It ends when more than this is lost that the run may have caused; absent while the run has already paused for that. */
  readonly budget?: number;
  /** It ends after this time, ms, so that the run learns what was counted; absent without probes. */
  readonly reportIntervalMs?: number;
  /** Epoch ms at which the previous monitor last observed anything; absent for the first. */
  readonly watchedUntil?: number;
  /** What the previous monitor knew about nodes that were out; absent for the first. */
  readonly outlook?: Outlook;
}

/** How the monitor of a run ended. `counts` are those of the whole run so far. */
export interface MonitorOutcome {
  readonly outcome: 'stopped' | 'counted' | 'budget-exceeded' | 'lock-lost';
  readonly at: number;
  /** The lock was observed to be ours at least once. */
  readonly wasLockOwned: boolean;
  readonly counts: TrafficCounts;
  readonly outlook: Outlook;
  readonly problem?: Problem;
}

const renewEveryMs = 15_000;
const pollIntervalMs = 1_000;

/** The step that runs beside all others. */
export function createMonitorSteps({ clock, cluster, traffic }: Ports<Locks>, observer: Observer) {
  return {
    /**
     * Renews the lock and sends the probes until one of these: it is cancelled, it is time to report the counts, more than `budget` requests
     * were lost that the run may have caused, or the lock is lost. Counts continue from `base`, and after the death of a worker from the last
     * heartbeat.
     * @throws ApplicationFailure with what was counted (Heartbeat) as its detail
     */
    monitorRun: async (input: MonitorInput): Promise<MonitorOutcome> => {
      const earlier = lastProgress();
      const since = earlier?.since ?? clock.now();
      const base = addUnwatchedPeriod(
        earlier?.traffic ?? input.base,
        earlier?.seenAt ?? input.watchedUntil,
        clock.now(),
      );
      const watch = measureTraffic(traffic.watch(input.policy.traffic.probes));
      const { policy, lock } = input;
      const separator = separateLosses({
        clock,
        observer,
        policy,
        watch,
        base,
        run: lock.holder,
        outlook: readOutlook(earlier?.checkpoint) ?? input.outlook ?? untouched,
      });
      const progress = (): Heartbeat => ({
        reason: 'monitoring traffic and renewing the lock',
        since,
        until: undefined,
        seenAt: clock.now(),
        traffic: separator.counts(),
        checkpoint: { outlook: separator.outlook() },
      });
      try {
        let end: Pick<MonitorOutcome, 'outcome' | 'wasLockOwned' | 'problem'>;
        try {
          end = await whileHeartbeating(progress, async () => await monitorUntilEnd(input, since, separator, progress));
        } finally {
          await watch.stop();
        }
        const counts = await separator.separate();
        heartbeat(progress());
        const { cancellationSignal, cancellationDetails } = Context.current();
        if (end.outcome === 'stopped' && cancellationDetails?.cancelRequested !== true) throw cancellationSignal.reason;
        const wasLockOwned = end.wasLockOwned || earlier !== undefined;
        return { ...end, wasLockOwned, at: clock.now(), counts, outlook: separator.outlook() };
      } catch (error) {
        throw ApplicationFailure.fromError(error, { details: [progress()] });
      }
    },
  };

  async function monitorUntilEnd(
    input: MonitorInput,
    since: number,
    separator: LossSeparator,
    progress: () => Heartbeat,
  ): Promise<Pick<MonitorOutcome, 'outcome' | 'wasLockOwned' | 'problem'>> {
    const { cancellationSignal } = Context.current();
    const { base: known, budget, reportIntervalMs } = input;
    let renewedAt = Number.NEGATIVE_INFINITY;
    let wasLockOwned = false;
    while (!cancellationSignal.aborted) {
      if (clock.now() - renewedAt >= renewEveryMs) {
        const renewed = await renew(input.lock);
        if (renewed.outcome === 'lost') return { outcome: 'lock-lost', wasLockOwned, problem: renewed.problem };
        wasLockOwned ||= renewed.outcome === 'owned';
        renewedAt = clock.now();
      }
      await separator.keepObserving();
      const counts = await separator.separate();
      const outcome = decideAnswer({ counts, known, budget, elapsedMs: clock.now() - since, reportIntervalMs });
      if (outcome !== undefined) return { outcome, wasLockOwned };
      heartbeat(progress());
      await clock.sleep(pollIntervalMs, cancellationSignal);
    }
    return { outcome: 'stopped', wasLockOwned };
  }

  /** A lock that can't be renewed for a while is still ours; one that another holder has is lost. */
  async function renew(
    lock: PoolLock,
  ): Promise<{ outcome: 'owned' | 'unknown' } | { outcome: 'lost'; problem: Problem }> {
    try {
      await cluster.renewLock(lock, poolLeaseMs);
      return { outcome: 'owned' };
    } catch (error) {
      if (!(error instanceof NodeferryError)) throw error;
      return isRetryable(error) ? { outcome: 'unknown' } : { outcome: 'lost', problem: error.problem };
    }
  }
}
