import type { BlockedPod, PodAction, PodActionResult } from '../core/eviction/actions.ts';
import {
  blockedByRejection,
  explainImpossible,
  holdBackRejected,
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
import { executePodAction, tryEviction } from '../operations/execute-pod-action.ts';
import type { Observer } from '../operations/observer.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { Fence } from './fence.ts';
import { guardActs } from './guarded-acts.ts';
import { countEvictionRefusal } from './metrics.ts';
import { disruptionLockNames, withLocks } from './momentary-locks.ts';

/** Whether the pod was touched, and what held it up when something did. */
interface ActOutcome {
  readonly acted: boolean;
  readonly blocked?: BlockedPod;
  /** What the API server made of it; absent when it was not asked. */
  readonly result?: PodActionResult;
}

/** On whose behalf pods are acted on. */
export interface Acting {
  readonly run: string;
  /** Asked right before an act: whether it is still theirs to do. */
  readonly fence: Pick<Fence, 'check'>;
}

/** The same where acts are decided once more, from a newer look, in their turn. */
export interface FencedCluster extends Acting {
  readonly decide: (facts: ClusterFacts) => readonly PodAction[];
  /** Name of the pool whose nodes go in an abort: what pods on them stood in for is given back as they leave. */
  readonly leaving: string | undefined;
}

/** Single acts on pods, each fenced, and those that need it one at a time over all nodes. */
export function createPodActs(ports: Ports, observer: Observer) {
  const { clock, cluster } = ports;

  /** Carries out what is due of a round, one act after another, and notes which evictions were refused. */
  async function carryOutAll(
    actions: readonly PodAction[],
    acting: FencedCluster,
    { facts, rejected: known }: { readonly facts: ClusterFacts; readonly rejected: RejectedEvictions },
  ): Promise<RoundOutcome> {
    const due = holdBackRejected(actions, known, facts, clock.now());
    const blocked = [...due.blocked];
    const unprotected: string[] = [];
    let rejected = known;
    let acted = false;
    let impossible: Problem | undefined;
    for (const action of due.actions) {
      const outcome = await carryOut(action, acting, facts);
      const { result } = outcome;
      acted ||= outcome.acted;
      if (outcome.blocked !== undefined) blocked.push(outcome.blocked);
      if (outcome.acted && action.kind === 'evict' && action.unprotected !== undefined)
        unprotected.push(action.unprotected);
      if (result !== undefined) {
        rejected = noteRejection(rejected, action.pod, result, clock.now());
        countEvictionRefusal(result);
      }
      if (result?.outcome === 'impossible') impossible ??= explainImpossible(action.pod, result.reason);
    }
    return { acted, blocked, unprotected, rejected, ...(impossible === undefined ? {} : { impossible }) };
  }

  /** Carries out one act, in its turn where it needs one. */
  async function carryOut(action: PodAction, acting: FencedCluster, facts: ClusterFacts): Promise<ActOutcome> {
    const index = indexOf(facts);
    const budgets = index.budgetsOf(action.pod.uid);
    const pod = index.podsByUid.get(action.pod.uid);
    const services = pod === undefined ? [] : servicesOf(pod, facts);
    if (!needsTurn(action, pod, budgets.length > 0, services)) {
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
        const fresh = await observer.cluster();
        const isStillDue = acting
          .decide(fresh)
          .some(({ kind, pod: { uid } }) => kind === action.kind && uid === action.pod.uid);
        if (!isStillDue) return { acted: false };
        const answer = await tryEviction(cluster, action.pod);
        if (answer.outcome === 'gone') return { acted: false };
        if (answer.outcome !== 'done') return outcomeOf(action, answer, facts);
        await held.require();
        const outcome = outcomeOf(action, await act(action, acting), facts);
        await seeLeaving(action.pod.uid);
        await adoptPods(action, acting);
        return outcome;
      },
    });
  }

  async function act(action: PodAction, { run, fence }: Acting): Promise<PodActionResult> {
    await fence.check();
    return await executePodAction(cluster, action, run);
  }

  /**
   * What the pod of a new node stood in for comes back as it leaves: at once, because its ReplicaSet starts another as soon, and takes
   * nobody back once that serves.
   */
  async function adoptPods({ pod }: PodAction, { run, fence, leaving }: FencedCluster): Promise<void> {
    if (leaving === undefined) return;
    await seeLeaving(pod.uid);
    await createAdoption(guardActs(cluster, fence)).adoptNow(await observer.cluster(), run, { leaving });
  }

  /** Others decide from what they see: the lock is given back only once a look shows the pod on its way. */
  async function seeLeaving(uid: string): Promise<void> {
    for (let i = 0; i < 50; i++) {
      const pod = indexOf(await observer.cluster()).podsByUid.get(uid);
      if (pod === undefined || pod.endpointsRemoved !== undefined || pod.terminating) return;
      await clock.sleep(100);
    }
  }

  return { carryOutAll, act };
}

/** Whether an act takes an endpoint that nothing but the order of our own nodes protects; the API server keeps the budgets of evictions. */
function needsTurn(
  action: PodAction,
  pod: PodFacts | undefined,
  budgeted: boolean,
  services: readonly ServiceFacts[],
): boolean {
  if (action.kind === 'remove-endpoints') return true;
  if (action.kind !== 'evict' || budgeted || pod === undefined) return false;
  return services.some((service) => isReadyEndpoint(pod, service));
}

function outcomeOf({ pod }: PodAction, result: PodActionResult, facts: ClusterFacts): ActOutcome {
  switch (result.outcome) {
    case 'done':
    case 'gone':
    case 'not-ours':
      return { acted: true, result };
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
