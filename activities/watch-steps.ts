import { ApplicationFailure, Context, heartbeat } from '@temporalio/activity';
import { NodeferryError, type Problem, problemCodes } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { StepProgress } from '../core/status/progress.ts';
import type { TrafficCounts } from '../core/status/status.ts';
import { addCounts, addGap, decideAnswer } from '../core/status/tally.ts';
import type { PoolLock } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import { poolLeaseMs } from './fence.ts';
import { lastProgress, whileHeartbeating } from './polling.ts';

/** What a watch is told. */
export interface WatchInput {
  readonly policy: Policy;
  readonly lock: PoolLock;
  /** What was counted before it. */
  readonly base: TrafficCounts;
  /** It ends when more than that is lost; absent while the run has paused for that already. */
  readonly budget?: number;
  /** It ends after this time, ms, so that the run knows what was counted; absent without probes. */
  readonly tellAfterMs?: number;
  /** Epoch ms at which the watch before it saw anything last; absent when it is the first. */
  readonly watchedUntil?: number;
}

/** How the watch over a run ended. `counts` are those of the whole run so far. */
export interface WatchOutcome {
  readonly outcome: 'stopped' | 'counted' | 'budget-exceeded' | 'lock-lost';
  readonly at: number;
  /** The lock was seen to be ours at least once. */
  readonly held: boolean;
  readonly counts: TrafficCounts;
  readonly problem?: Problem;
}

const renewEveryMs = 15_000;
const lookEveryMs = 1_000;

/** The step that goes on beside all others. */
export function createWatchSteps({ clock, cluster, traffic }: Ports) {
  return {
    /**
     * Keeps the lock and sends the probes until cancelled, until it is time to tell what was counted, until more than `budget` requests were
     * lost, or until the lock is lost. Counts go on from `base`, and over the death of a worker from the last heartbeat.
     * @throws ApplicationFailure with what was counted (StepProgress) as its detail
     */
    watchRun: async (input: WatchInput): Promise<WatchOutcome> => {
      const earlier = lastProgress();
      const since = earlier?.since ?? clock.now();
      const base = addGap(earlier?.traffic ?? input.base, earlier?.seenAt ?? input.watchedUntil, clock.now());
      const watch = traffic.watch(input.policy.traffic.probes);
      const counts = () => addCounts(base, watch.counts());
      const progress = (): StepProgress => ({
        reason: 'watching the traffic and keeping the lock',
        since,
        until: undefined,
        seenAt: clock.now(),
        traffic: counts(),
      });
      try {
        let end: Pick<WatchOutcome, 'outcome' | 'held' | 'problem'>;
        try {
          end = await whileHeartbeating(progress, async () => await watchUntilEnd(input, since, progress));
        } finally {
          await watch.stop();
        }
        heartbeat(progress());
        const { cancellationSignal, cancellationDetails } = Context.current();
        if (end.outcome === 'stopped' && cancellationDetails?.cancelRequested !== true) throw cancellationSignal.reason;
        return { ...end, held: end.held || earlier !== undefined, at: clock.now(), counts: counts() };
      } catch (error) {
        throw ApplicationFailure.fromError(error, { details: [progress()] });
      }
    },
  };

  async function watchUntilEnd(
    input: WatchInput,
    since: number,
    progress: () => StepProgress,
  ): Promise<Pick<WatchOutcome, 'outcome' | 'held' | 'problem'>> {
    const { cancellationSignal } = Context.current();
    const { base: known, budget, tellAfterMs } = input;
    let renewedAt = Number.NEGATIVE_INFINITY;
    let held = false;
    while (!cancellationSignal.aborted) {
      if (clock.now() - renewedAt >= renewEveryMs) {
        const renewed = await renew(input.lock);
        if (renewed.outcome === 'lost') return { outcome: 'lock-lost', held, problem: renewed.problem };
        held ||= renewed.outcome === 'held';
        renewedAt = clock.now();
      }
      const now = progress();
      const counts = now.traffic ?? known;
      const outcome = decideAnswer({ counts, known, budget, elapsedMs: clock.now() - since, tellAfterMs });
      if (outcome !== undefined) return { outcome, held };
      heartbeat(now);
      await clock.sleep(lookEveryMs, cancellationSignal);
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
