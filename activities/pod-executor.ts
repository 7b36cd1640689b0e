import type { BlockedPod, PodAction, PodActionResult } from '../core/eviction/actions.ts';
import { decideInstead } from '../core/eviction/denied-removal.ts';
import {
  blockedByRejection,
  deferRejected,
  explainImpossible,
  noteRejection,
  type RejectedEvictions,
  type RoundOutcome,
} from '../core/eviction/rejections.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../core/model/endpoints.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../core/model/pod.ts';
import type { Problem } from '../core/model/problem.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { NodeUids } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import { executePodAction, tryEviction } from '../operations/execute-pod-action.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { Fence } from './fence.ts';
import { countEvictionRefusal } from './metrics.ts';
import { disruptionLockNames, type HeldLocks, withLocks } from './momentary-locks.ts';

/** Whether the pod was changed, and what blocked the action if something did. */
interface ActOutcome {
  readonly acted: boolean;
  readonly blocked?: BlockedPod;
  /** The API server's answer; absent when it was not asked. */
  readonly result?: PodActionResult;
  /** What an eviction did not protect, as text. */
  readonly unprotected?: string;
}

/** The run for which pods are acted on. */
interface Acting {
  readonly run: string;
  /** Checked right before an action: whether the step still owns it. */
  readonly fence: Pick<Fence, 'check'>;
}

/** The same where actions are decided again under the lock, from a newer observation. */
export interface FencedCluster extends Acting {
  readonly decide: (facts: ClusterFacts) => readonly PodAction[];
  readonly policy: Policy;
  /** The nodes that leave in an abort: the released pods that pods on them replace are adopted as those leave. */
  readonly leaving: NodeUids | undefined;
}

/** Fenced actions on single pods. Those that must not run in parallel on several nodes run under locks. */
export function createPodExecutor(ports: Ports<Actions & Locks>, observer: Observer) {
  const { clock, cluster } = ports;

  /** Executes the actions of a round that are due, one after another, and records which evictions were rejected. */
  async function executeAll(
    actions: readonly PodAction[],
    acting: FencedCluster,
    { facts, rejected: known }: { readonly facts: ClusterFacts; readonly rejected: RejectedEvictions },
  ): Promise<RoundOutcome> {
    const due = deferRejected(actions, known, facts, clock.now());
    const blocked = [...due.blocked];
    const unprotected: string[] = [];
    let rejected = known;
    let acted = false;
    let impossible: Problem | undefined;
    for (const action of due.actions) {
      const outcome = await execute(action, acting, facts);
      const { result } = outcome;
      acted ||= outcome.acted;
      if (outcome.blocked !== undefined) blocked.push(outcome.blocked);
      if (outcome.unprotected !== undefined) unprotected.push(outcome.unprotected);
      if (result !== undefined) {
        rejected = noteRejection(rejected, action.pod, result, clock.now());
        countEvictionRefusal(result);
      }
      if (result?.outcome === 'impossible') impossible ??= explainImpossible(action.pod, result.reason);
    }
    return { acted, blocked, unprotected, rejected, ...(impossible === undefined ? {} : { impossible }) };
  }

  /** Executes one action, under locks where it needs them. */
  async function execute(action: PodAction, acting: FencedCluster, facts: ClusterFacts): Promise<ActOutcome> {
    const index = indexOf(facts);
    const budgets = index.budgetsOf(action.pod.uid);
    const pod = index.podsByUid.get(action.pod.uid);
    const services = pod === undefined ? [] : servicesOf(pod, facts);
    if (!needsLock(action, pod, budgets.length > 0, services)) {
      const outcome = outcomeOf(action, await act(action, acting), facts);
      if (outcome.acted && action.kind === 'evict') await adoptPods(action, acting);
      return outcome;
    }
    return await withLocks<ActOutcome>(ports, {
      run: acting.run,
      names: disruptionLockNames(budgets, services),
      whenBusy: ({ message }) =>
        blockedBy(action, `another node moves a pod of the same budget or Service: ${message}`, budgets[0]),
      body: async (held) => {
        // The lock keeps other runs from taking targets meanwhile.
        const { podTargets } = facts;
        const fresh = { ...(await observer.cluster()), ...(podTargets && { podTargets }) };
        const isStillDue = acting
          .decide(fresh)
          .some(({ kind, pod: { uid } }) => kind === action.kind && uid === action.pod.uid);
        if (!isStillDue) return { acted: false };
        const answer = await tryEviction(cluster, action.pod);
        if (answer.outcome === 'gone') return { acted: false };
        if (answer.outcome !== 'done') return outcomeOf(action, answer, facts);
        await held.require();
        const result = await act(action, acting);
        const outcome =
          result.outcome === 'denied'
            ? await actInstead(action, result.reason, { acting, facts: fresh, held })
            : outcomeOf(action, result, facts);
        if (!outcome.acted) return outcome;
        await awaitLeaving(action.pod.uid);
        await adoptPods(action, acting);
        return outcome;
      },
    });
  }

  /** What remains where admission denies the removal of a pod from its endpoints. */
  async function actInstead(
    { pod }: PodAction,
    why: string,
    { acting, facts, held }: { readonly acting: FencedCluster; readonly facts: ClusterFacts; readonly held: HeldLocks },
  ): Promise<ActOutcome> {
    const seen = indexOf(facts).podsByUid.get(pod.uid);
    if (seen === undefined) return { acted: false };
    const instead = decideInstead(seen, { facts, policy: acting.policy, now: clock.now() }, why);
    if ('stays' in instead)
      return outcomeOf({ kind: 'evict', pod }, { outcome: 'denied', reason: instead.stays }, facts);
    await held.require();
    return outcomeOf(instead.action, await act(instead.action, acting), facts);
  }

  async function act(action: PodAction, { run, fence }: Acting): Promise<PodActionResult> {
    return await executePodAction(cluster.guarded(fence.check), action, run);
  }

  /**
   * Adopts a released pod as its replacement on a new node leaves. This is done at once, because its ReplicaSet starts another replacement
   * just as fast, and adopts no pod once that one serves.
   */
  async function adoptPods({ pod }: PodAction, { run, fence, leaving }: FencedCluster): Promise<void> {
    if (leaving === undefined) return;
    await awaitLeaving(pod.uid);
    await createAdoption(cluster.guarded(fence.check)).adoptNow(await observer.cluster(), run, { leaving });
  }

  /** Others decide from what they observe: the lock is released only once an observation shows that the pod is leaving. */
  async function awaitLeaving(uid: string): Promise<void> {
    for (let i = 0; i < 50; i++) {
      const pod = indexOf(await observer.cluster()).podsByUid.get(uid);
      if (pod === undefined || pod.endpointsRemoved !== undefined || pod.terminating) return;
      await clock.sleep(100);
    }
  }

  return { executeAll, act };
}

/** Whether an action takes an endpoint that only the order of our own nodes protects. For evictions the API server enforces budgets. */
function needsLock(
  action: PodAction,
  pod: PodFacts | undefined,
  budgeted: boolean,
  services: readonly ServiceFacts[],
): boolean {
  if (action.kind === 'remove-endpoints') return true;
  if (action.kind !== 'evict' || budgeted || pod === undefined) return false;
  return services.some((service) => isReadyEndpoint(pod, service));
}

function outcomeOf(action: PodAction, result: PodActionResult, facts: ClusterFacts): ActOutcome {
  const { pod } = action;
  switch (result.outcome) {
    case 'done':
    case 'gone':
    case 'not-ours': {
      const unprotected = action.kind === 'evict' ? action.unprotected : undefined;
      return { acted: true, result, ...(unprotected === undefined ? {} : { unprotected }) };
    }
    case 'denied': {
      const rejection = { message: result.reason, byAdmission: true };
      return { acted: false, result, blocked: blockedByRejection(pod, rejection, facts) };
    }
    case 'blocked':
    case 'impossible': {
      const byBudget = result.outcome === 'blocked' && result.by === 'budget';
      return { acted: false, result, blocked: blockedByRejection(pod, { message: result.reason, byBudget }, facts) };
    }
  }
}

function blockedBy(action: PodAction, reason: string, budget: DisruptionBudgetFacts | undefined): ActOutcome {
  const blocked = {
    pod: action.pod,
    budget: budget === undefined ? undefined : `${budget.namespace}/${budget.name}`,
    needs: budget?.desiredHealthy ?? 0,
    has: budget?.currentHealthy ?? 0,
    reason,
  };
  return { acted: false, blocked };
}
