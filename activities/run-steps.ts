import { NodeferryError, type Problem } from '../core/model/problem.ts';
import { buildPlanInSlices } from '../core/plan/build-plan.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { refusal } from '../core/plan/refusal.ts';
import { type Policy, surgesPods } from '../core/policy/policy.ts';
import type { PoolLock } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import { askBeforePodSurge, createTrials } from './ask-before-pod-surge.ts';
import { poolLeaseMs, takePoolLock } from './fence.ts';
import { inSlices } from './in-slices.ts';
import { lastHeartbeatOfWatch, type Watched } from './last-heartbeat.ts';
import type { Observer } from './observer.ts';
import { failureOf, type Outcome, persist, pollUntil } from './polling.ts';

/** What a preflight answers. */
export interface Preflight {
  readonly plan: PoolPlan;
  /** Epoch ms at which it began; absent in answers of earlier versions. */
  readonly since?: number;
}

/** Steps that concern the run as a whole. */
export function createRunSteps(ports: Ports, observer: Observer) {
  const { clock, cluster } = ports;
  return {
    /** Looks at everything, audits it and plans. Changes nothing. @throws ApplicationFailure PreflightRefused, PoolNotFound, … */
    preflight: async (input: { run: string; policy: Policy }): Promise<Outcome<Preflight>> =>
      await persist(
        { clock, what: 'preflight', hint: 'Nothing was touched; start again once it can be reached.' },
        async ({ since }) => {
          const { policy, run } = input;
          const ref = { cluster: policy.cluster.name, region: policy.cluster.region, name: policy.pool.name };
          const pool = await ports.pools.describePool(ref);
          // Asked first: a pool that is noted later has no nodes yet.
          const incomingPools = await cluster.findIncomingPools();
          const facts = { ...(await observer.observeFresh(policy)), incomingPools };
          const old = facts.cluster.nodes.filter((node) => node.pool === policy.pool.name);
          const asked = surgesPods(policy)
            ? await askBeforePodSurge({ cluster, tryRelease: createTrials(cluster)(run) }, old, {
                facts: facts.cluster,
                policy,
              })
            : undefined;
          const plan = await inSlices(buildPlanInSlices({ policy, run, pool, facts, ...asked }));
          const refused = refusal(plan);
          if (refused !== undefined) throw failureOf(refused);
          if ((await ports.pools.findPool(plan.newPool)) !== undefined)
            throw failureOf(alreadyThere(plan.newPool.name));
          await ports.pools.requireMayCreate({ source: ref, target: policy.target });
          return { plan, since };
        },
      ),

    /** Takes the lock on the pool. @throws ApplicationFailure LockHeld */
    acquireLock: async (input: { policy: Policy; run: string }): Promise<Outcome<{ lock: PoolLock }>> =>
      await persist({ clock, what: 'taking the lock on the pool', hint: 'Check access to Leases.' }, async () => ({
        lock: await takePoolLock(cluster, input),
      })),

    /**
     * Takes the lock again that was lost. Whoever has it may be dead: it is waited for, longer than a Lease lives that nobody renews.
     * @throws ApplicationFailure LockHeld
     */
    reacquireLock: async (input: { policy: Policy; run: string }): Promise<Outcome<{ lock: PoolLock }>> =>
      await pollUntil<{ lock: PoolLock }>({
        clock,
        what: 'the lock on the pool to be free',
        deadlineMs: undefined,
        pollIntervalMs: 5_000,
        hint: 'See which run holds the Lease.',
        poll: async ({ now, since }) => {
          try {
            const lock = await takePoolLock(cluster, input);
            return { done: true, value: { lock } };
          } catch (error) {
            const isHeld = error instanceof NodeferryError && error.problem.code === 'LockHeld';
            if (!isHeld || now - since >= 2 * poolLeaseMs) throw error;
            return { done: false, reason: error.problem.message };
          }
        },
      }),

    /** Lets time pass, ms, while the watch goes on; answers what that has said last. */
    sleepFor: async ({ durationMs }: { durationMs: number }): Promise<Outcome<Lingered>> =>
      await pollUntil<Lingered>({
        clock,
        what: 'the probes to continue for a moment',
        deadlineMs: undefined,
        pollIntervalMs: durationMs,
        hint: 'Resume.',
        poll: async ({ now, since }) => {
          const left = since + durationMs - now;
          if (left <= 0) return { done: true, value: await checkMonitor() };
          return { done: false, reason: 'the probes continue after the end', requeueAfterMs: left };
        },
      }),
  };
}

/** What the watch beside it has told by heartbeat, if anything. */
interface Lingered {
  readonly watched?: Watched;
}

async function checkMonitor(): Promise<Lingered> {
  const watched = await lastHeartbeatOfWatch();
  return watched === undefined ? {} : { watched };
}

function alreadyThere(pool: string): Problem {
  return {
    code: 'PreflightRefused',
    message: `the new pool ${pool} exists already`,
    hint: 'Give the new pool another name in spec.target.poolName, or delete the existing one if it is not needed.',
  };
}
