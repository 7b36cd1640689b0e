import type { PoolLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { type ApprovedPlan, approvedPart, findChanges, planOutdated } from '../core/plan/approved-plan.ts';
import { explainTooLarge } from '../core/plan/plan-size.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { refusal } from '../core/plan/refusal.ts';
import { keepsTarget } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import { createTrials } from '../operations/ask-before-pod-surge.ts';
import { observeAndPlan } from '../operations/observe-and-plan.ts';
import type { Observer } from '../operations/observer.ts';
import { requireCapability } from '../operations/pools-by-provider.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import type { Ports } from '../ports/ports.ts';
import { requireCluster } from './fence.ts';
import { inSlices } from './in-slices.ts';
import { lastHeartbeatOfWatch, type Watched } from './last-heartbeat.ts';
import { failureOf, type Outcome, pollUntil, retryUntilDone } from './polling.ts';
import { poolLeaseMs, takePoolLock } from './pool-lock.ts';

/** The result of the preflight. */
interface Preflight {
  readonly plan: PoolPlan;
  /** Epoch ms at which it began; absent in results of earlier versions. */
  readonly since?: number;
}

/** What is planned, and what was approved before; `approved` is absent when the run was started from a policy. */
interface PreflightInput {
  readonly run: string;
  readonly policy: Policy;
  readonly approved?: ApprovedPlan;
  /** Services that may lose connections, from the plan that this one takes the place of. */
  readonly accepted?: readonly string[];
}

/** @throws ApplicationFailure PlanOutdated when the plan is not what was approved */
function requireApproved(plan: PoolPlan, approved: ApprovedPlan | undefined): void {
  const changes = approved === undefined ? [] : findChanges(approved, approvedPart(plan));
  if (changes.length > 0) throw failureOf(planOutdated(changes));
}

/** Steps that concern the run as a whole. */
export function createRunSteps(ports: Ports<ClusterObserver & PodActions & Fencing & Locks>, observer: Observer) {
  const { clock, cluster } = ports;
  const mayCreate = async ({ oldPool: source, policy: { target } }: PoolPlan) =>
    await requireCapability(ports.pools, source, 'replacement').requireMayCreate({ source, target });
  return {
    /** Observes everything, audits it and plans. Changes nothing. @throws ApplicationFailure PreflightRefused, PoolNotFound, … */
    preflight: async (input: PreflightInput): Promise<Outcome<Preflight>> =>
      await retryUntilDone(
        { clock, what: 'preflight', hint: 'Nothing was touched; start again once it can be reached.' },
        async ({ since }) => {
          const { policy } = input;
          await requireCluster(cluster, policy, 'start again');
          const tryRelease = createTrials(cluster)(input.run);
          const open = () => ({ cluster, observer, tryRelease });
          const { plan } = await observeAndPlan({ pools: ports.pools, open, inSlices }, input);
          const refused = refusal(plan);
          if (refused !== undefined) throw failureOf(refused);
          requireApproved(plan, input.approved);
          if (policy.selection === undefined && !keepsTarget(policy)) await mayCreate(plan);
          const clusterUid = await cluster.findClusterUid();
          const known = clusterUid === undefined ? plan : { ...plan, policy: { ...plan.policy, clusterUid } };
          const tooLarge = explainTooLarge(known);
          if (tooLarge !== undefined) throw failureOf(tooLarge);
          return { plan: known, since };
        },
      ),

    /** Acquires the lock on the pool, and claims the pool that it adopts. @throws ApplicationFailure LockHeld, also when another run has that pool */
    acquireLock: async (input: { policy: Policy; run: string }): Promise<Outcome<{ lock: PoolLock }>> =>
      await retryUntilDone(
        { clock, what: 'acquiring the lock on the pool', hint: 'Check access to Leases.' },
        async () => {
          await requireCluster(cluster, input.policy, 'start again');
          return { lock: await takePoolLock(ports, input) };
        },
      ),

    /**
     * Acquires the lost lock again. Its holder may be dead: it waits longer than a Lease lasts that nobody renews.
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
          await requireCluster(cluster, input.policy);
          try {
            const lock = await takePoolLock(ports, input);
            return { done: true, value: { lock } };
          } catch (error) {
            const isHeld = error instanceof NodeferryError && error.problem.code === 'LockHeld';
            if (!isHeld || now - since >= 2 * poolLeaseMs) throw error;
            return { done: false, reason: error.problem.message };
          }
        },
      }),

    /** Waits, ms, while the monitor continues; returns the monitor's last heartbeat. */
    sleepFor: async ({ durationMs }: { durationMs: number }): Promise<Outcome<SleepResult>> =>
      await pollUntil<SleepResult>({
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

/** The last heartbeat of the monitor, if there was one. */
interface SleepResult {
  readonly watched?: Watched;
}

async function checkMonitor(): Promise<SleepResult> {
  const watched = await lastHeartbeatOfWatch();
  return watched === undefined ? {} : { watched };
}
