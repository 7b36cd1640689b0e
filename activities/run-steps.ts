import { Context, heartbeat } from '@temporalio/activity';
import { NodeferryError, type Problem, problemCodes } from '../core/model/problem.ts';
import { buildPlan } from '../core/plan/build-plan.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { refusal } from '../core/plan/refusal.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { TrafficCounts } from '../core/status/status.ts';
import type { PoolLock } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import { poolLeaseMs, poolLockOf } from './fence.ts';
import type { Looking } from './looking.ts';
import { failureOf, lastProgress, type Outcome, persist, pollUntil, whileHeartbeating } from './polling.ts';

/** How the watch over a run ended. `counts` are those of the whole run so far. */
export interface WatchOutcome {
  readonly outcome: 'stopped' | 'budget-exceeded' | 'lock-lost';
  readonly at: number;
  /** The lock was seen to be ours at least once. */
  readonly held: boolean;
  readonly counts: TrafficCounts;
  readonly problem?: Problem;
}

const renewEveryMs = 15_000;
const lookEveryMs = 1_000;

/** What passes between two heartbeats, and until a worker that was restarted takes over, is no gap, ms. */
const shortestGapMs = 5_000;

/** Steps that concern the run as a whole. */
export function createRunSteps(ports: Ports, looking: Looking) {
  const { clock, cluster } = ports;
  return {
    /** Looks at everything, audits it and plans. Changes nothing. @throws ApplicationFailure PreflightRefused, PoolNotFound, … */
    preflight: async (input: { run: string; policy: Policy }): Promise<Outcome<{ plan: PoolPlan }>> =>
      await persist(
        { clock, what: 'preflight', hint: 'Nothing was touched; start again once it can be reached.' },
        async () => {
          const { policy, run } = input;
          const ref = { cluster: policy.cluster.name, region: policy.cluster.region, name: policy.pool.name };
          const pool = await ports.pools.describePool(ref);
          const facts = await looking.servingAnew();
          const plan = buildPlan({ policy, run, pool, facts });
          const refused = refusal(plan);
          if (refused !== undefined) throw failureOf(refused);
          if ((await ports.pools.findPool(plan.newPool)) !== undefined)
            throw failureOf(alreadyThere(plan.newPool.name));
          return { plan };
        },
      ),

    /** Takes the lock on the pool. @throws ApplicationFailure LockHeld */
    acquireLock: async (input: { policy: Policy; run: string }): Promise<Outcome<{ lock: PoolLock }>> =>
      await persist({ clock, what: 'taking the lock on the pool', hint: 'Check access to Leases.' }, async () => ({
        lock: await cluster.acquireLock(poolLockOf(input.policy), input.run, poolLeaseMs),
      })),

    /**
     * Takes the lock again that was lost. Whoever has it may be dead: it is waited for, longer than a Lease lives that nobody renews.
     * @throws ApplicationFailure LockHeld
     */
    acquireLockAgain: async (input: { policy: Policy; run: string }): Promise<Outcome<{ lock: PoolLock }>> =>
      await pollUntil<{ lock: PoolLock }>({
        clock,
        what: 'the lock on the pool to be free',
        deadlineMs: undefined,
        pollMs: 5_000,
        hint: 'See who holds the Lease.',
        look: async ({ now, since }) => {
          try {
            const lock = await cluster.acquireLock(poolLockOf(input.policy), input.run, poolLeaseMs);
            return { done: true, value: { lock } };
          } catch (error) {
            const isHeld = error instanceof NodeferryError && error.problem.code === 'LockHeld';
            if (!isHeld || now - since >= 2 * poolLeaseMs) throw error;
            return { done: false, reason: error.problem.message };
          }
        },
      }),

    /**
     * Keeps the lock and sends the probes until cancelled, until more than `budget` requests were lost, or until the lock is lost.
     * Counts go on from `base`, and over the death of a worker from the last heartbeat.
     */
    watchRun: async (input: {
      policy: Policy;
      lock: PoolLock;
      base: TrafficCounts;
      budget: number;
    }): Promise<WatchOutcome> => {
      const earlier = lastProgress();
      const base = earlier?.traffic ?? input.base;
      const since = earlier?.since ?? clock.now();
      const unwatchedMs = (base.unwatchedMs ?? 0) + gapSince(earlier?.seenAt, clock.now());
      const watch = ports.traffic.watch(input.policy.traffic.probes);
      const counts = (now = watch.counts()): TrafficCounts => ({
        sent: base.sent + now.sent,
        lost: base.lost + now.lost,
        slow: base.slow + now.slow,
        ...(unwatchedMs === 0 ? {} : { unwatchedMs }),
      });
      const progress = () => ({
        reason: 'watching the traffic and keeping the lock',
        since,
        until: undefined,
        seenAt: clock.now(),
        traffic: counts(),
      });
      const context = Context.current();
      let renewedAt = Number.NEGATIVE_INFINITY;
      let outcome: WatchOutcome['outcome'] = 'stopped';
      let problem: Problem | undefined;
      let held = earlier !== undefined;
      try {
        await whileHeartbeating(progress, async () => {
          while (!context.cancellationSignal.aborted) {
            if (clock.now() - renewedAt >= renewEveryMs) {
              const renewed = await renew(input.lock);
              if (renewed.outcome === 'lost') {
                outcome = 'lock-lost';
                problem = renewed.problem;
                return;
              }
              held ||= renewed.outcome === 'held';
              renewedAt = clock.now();
            }
            if (counts().lost > input.budget) {
              outcome = 'budget-exceeded';
              return;
            }
            heartbeat(progress());
            await clock.sleep(lookEveryMs, context.cancellationSignal);
          }
        });
      } finally {
        await watch.stop();
      }
      heartbeat(progress());
      if (outcome === 'stopped' && context.cancellationDetails?.cancelRequested !== true)
        throw context.cancellationSignal.reason;
      return { outcome, at: clock.now(), held, counts: counts(), ...(problem === undefined ? {} : { problem }) };
    },

    /** Lets time pass, ms, while the watch goes on. */
    linger: async ({ forMs }: { forMs: number }): Promise<Outcome> =>
      await pollUntil<object>({
        clock,
        what: 'the probes to go on for a moment',
        deadlineMs: undefined,
        pollMs: forMs,
        hint: 'Resume.',
        look: async ({ now, since }) => {
          const left = since + forMs - now;
          if (left <= 0) return { done: true, value: {} };
          return { done: false, reason: 'the probes watch what happens after the end', againInMs: left };
        },
      }),
  };

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

/** Time in which nobody watched, ms: an attempt that follows its predecessor at once leaves none. */
function gapSince(seenAt: number | undefined, now: number): number {
  const gap = seenAt === undefined ? 0 : now - seenAt;
  return gap > shortestGapMs ? gap : 0;
}

function alreadyThere(pool: string): Problem {
  return {
    code: 'PreflightRefused',
    message: `the new pool ${pool} exists already`,
    hint: 'Give the new pool another name in spec.target.poolName, or delete the one that is there if nobody needs it.',
  };
}
