import { ApplicationFailure, Context, heartbeat } from '@temporalio/activity';
import type { PoolLock } from '../core/model/pool-lock.ts';
import { NodeferryError, type Problem, problemCodes } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import { readOutlook } from '../core/status/checkpoint.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import { type Outlook, untouched } from '../core/status/outlook.ts';
import { addGap, decideAnswer } from '../core/status/tally.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import type { Observer } from '../operations/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { poolLeaseMs } from './fence.ts';
import { measureTraffic } from './metrics.ts';
import { lastProgress, whileHeartbeating } from './polling.ts';
import { type LossSeparator, separateLosses } from './separate-losses.ts';

/** What a watch is told. */
export interface WatchInput {
  readonly policy: Policy;
  readonly lock: PoolLock;
  /** What was counted before it. */
  readonly base: TrafficCounts;
  /** It ends when more than that is lost that can be the run's doing; absent while the run has paused for that already. */
  readonly budget?: number;
  /** It ends after this time, ms, so that the run knows what was counted; absent without probes. */
  readonly reportIntervalMs?: number;
  /** Epoch ms at which the watch before it saw anything last; absent when it is the first. */
  readonly watchedUntil?: number;
  /** What the watch before it knew of nodes that were out; absent when it is the first. */
  readonly outlook?: Outlook;
}

/** How the watch over a run ended. `counts` are those of the whole run so far. */
export interface WatchOutcome {
  readonly outcome: 'stopped' | 'counted' | 'budget-exceeded' | 'lock-lost';
  readonly at: number;
  /** The lock was seen to be ours at least once. */
  readonly held: boolean;
  readonly counts: TrafficCounts;
  readonly outlook: Outlook;
  readonly problem?: Problem;
}

const renewEveryMs = 15_000;
const pollIntervalMs = 1_000;

/** The step that goes on beside all others. */
export function createWatchSteps({ clock, cluster, traffic }: Ports, observer: Observer) {
  return {
    /**
     * Keeps the lock and sends the probes until cancelled, until it is time to tell what was counted, until more than `budget` requests were
     * lost by what can be the run's doing, or until the lock is lost. Counts go on from `base`, and over the death of a worker from the last heartbeat.
     * @throws ApplicationFailure with what was counted (Heartbeat) as its detail
     */
    monitorRun: async (input: WatchInput): Promise<WatchOutcome> => {
      const earlier = lastProgress();
      const since = earlier?.since ?? clock.now();
      const base = addGap(earlier?.traffic ?? input.base, earlier?.seenAt ?? input.watchedUntil, clock.now());
      const watch = measureTraffic(traffic.watch(input.policy.traffic.probes));
      const { policy, lock } = input;
      const teller = separateLosses({
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
        traffic: teller.counts(),
        checkpoint: { outlook: teller.outlook() },
      });
      try {
        let end: Pick<WatchOutcome, 'outcome' | 'held' | 'problem'>;
        try {
          end = await whileHeartbeating(progress, async () => await watchUntilEnd(input, since, teller, progress));
        } finally {
          await watch.stop();
        }
        const counts = await teller.separate();
        heartbeat(progress());
        const { cancellationSignal, cancellationDetails } = Context.current();
        if (end.outcome === 'stopped' && cancellationDetails?.cancelRequested !== true) throw cancellationSignal.reason;
        const held = end.held || earlier !== undefined;
        return { ...end, held, at: clock.now(), counts, outlook: teller.outlook() };
      } catch (error) {
        throw ApplicationFailure.fromError(error, { details: [progress()] });
      }
    },
  };

  async function watchUntilEnd(
    input: WatchInput,
    since: number,
    teller: LossSeparator,
    progress: () => Heartbeat,
  ): Promise<Pick<WatchOutcome, 'outcome' | 'held' | 'problem'>> {
    const { cancellationSignal } = Context.current();
    const { base: known, budget, reportIntervalMs } = input;
    let renewedAt = Number.NEGATIVE_INFINITY;
    let held = false;
    while (!cancellationSignal.aborted) {
      if (clock.now() - renewedAt >= renewEveryMs) {
        const renewed = await renew(input.lock);
        if (renewed.outcome === 'lost') return { outcome: 'lock-lost', held, problem: renewed.problem };
        held ||= renewed.outcome === 'held';
        renewedAt = clock.now();
      }
      await teller.keepObserving();
      const counts = await teller.separate();
      const outcome = decideAnswer({ counts, known, budget, elapsedMs: clock.now() - since, reportIntervalMs });
      if (outcome !== undefined) return { outcome, held };
      heartbeat(progress());
      await clock.sleep(pollIntervalMs, cancellationSignal);
    }
    return { outcome: 'stopped', held };
  }

  /** A lock that can't be renewed for a while is still ours; one that somebody else has is lost. */
  async function renew(
    lock: PoolLock,
  ): Promise<{ outcome: 'held' | 'unknown' } | { outcome: 'lost'; problem: Problem }> {
    try {
      await cluster.renewLock(lock, poolLeaseMs);
      return { outcome: 'held' };
    } catch (error) {
      if (!(error instanceof NodeferryError)) throw error;
      return problemCodes[error.problem.code].retryable
        ? { outcome: 'unknown' }
        : { outcome: 'lost', problem: error.problem };
    }
  }
}
