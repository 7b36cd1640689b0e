import type { BlockedPod, PodAction } from '../core/eviction/actions.ts';
import { trackLagging, trackRemoved } from '../core/eviction/endpoint-removal.ts';
import type { Leaving } from '../core/eviction/leaving.ts';
import { trackUnready } from '../core/eviction/unready.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../core/model/endpoints.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../core/model/pod.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { BlockedSince } from '../core/status/blocked.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import type { Ports } from '../ports/ports.ts';
import { createAdoption } from './adoption.ts';
import type { Fence } from './fence.ts';
import { guardActs } from './guarded-acts.ts';
import { disruptionLockNames, withLocks } from './momentary-locks.ts';
import type { Observer } from './observer.ts';

/** Whether the pod was touched, and what held it up when something did. */
export interface ActOutcome {
  readonly acted: boolean;
  /** What the act could not protect, in words. */
  readonly unprotected?: string;
  readonly blocked?: BlockedPod;
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

  /** Carries out one act, in its turn where it needs one. */
  async function carryOut(action: PodAction, acting: FencedCluster, facts: ClusterFacts): Promise<ActOutcome> {
    const index = indexOf(facts);
    const budgets = index.budgetsOf(action.pod.uid);
    const pod = index.podsByUid.get(action.pod.uid);
    const services = pod === undefined ? [] : servicesOf(pod, facts);
    if (!needsTurn(action, pod, budgets.length > 0, services)) {
      const outcome = await act(action, acting);
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
        const answer = await cluster.evict(action.pod, { dryRun: true });
        if (answer.outcome === 'gone') return { acted: false };
        if (answer.outcome !== 'evicted') return blockedBy(action, answer.message, budgets[0]);
        await held.require();
        const outcome = await act(action, acting);
        await seeLeaving(action.pod.uid);
        await adoptPods(action, acting);
        return outcome;
      },
    });
  }

  async function act(action: PodAction, { run, fence }: Acting): Promise<ActOutcome> {
    await fence.check();
    switch (action.kind) {
      case 'remove-endpoints':
        await cluster.removeEndpoints(action.pod, action.removeLabels, run);
        return { acted: true };
      case 'restore-endpoints':
        await cluster.restoreEndpoints(action.pod, run);
        return { acted: true };
      case 'delete':
        await cluster.deletePod(action.pod);
        return { acted: true };
      case 'evict': {
        const answer = await cluster.evict(action.pod, { dryRun: false });
        const left = answer.outcome === 'evicted' || answer.outcome === 'gone';
        if (!left) return blockedBy(action, answer.message, undefined);
        return { acted: true, ...(action.unprotected === undefined ? {} : { unprotected: action.unprotected }) };
      }
    }
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

  return { carryOut, act };
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

/**
 * Whether load balancers have to be asked before the acts: one is on a pod that is still in its Services' endpoints, or somebody has taken
 * the label off the node. A pod that was taken out of them serves nobody, and was so only after a look at them.
 */
export function mayMeetCallers(
  node: Pick<NodeRef, 'name'>,
  actions: readonly PodAction[],
  facts: ClusterFacts,
): boolean {
  const { nodes, podsByUid } = indexOf(facts);
  if (actions.length === 0) return false;
  if (nodes.get(node.name)?.excluded !== true) return true;
  return actions.some(({ pod: { uid } }) => podsByUid.get(uid)?.endpointsRemoved === undefined);
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

/** Since when each pod has been blocked, kept from look to look. */
export function recordBlocked(blocked: readonly BlockedPod[], earlier: unknown, now: number): readonly BlockedSince[] {
  const known: readonly BlockedSince[] = Array.isArray(earlier) ? earlier : [];
  return blocked.slice(0, 10).map(({ pod, budget, needs, has, reason }) => {
    const name = `${pod.namespace}/${pod.name}`;
    return { pod: name, budget, needs, has, since: known.find((one) => one.pod === name)?.since ?? now, reason };
  });
}

/**
 * Since when unlisted pods have been out of their endpoints or listed all the same, and others not ready: goes on from what the look
 * before left behind.
 */
export function trackPods(
  checkpoint: NonNullable<Heartbeat['checkpoint']>,
  pods: readonly PodFacts[],
  facts: ClusterFacts,
  now: number,
): Omit<Leaving, 'pods'> {
  return {
    removedAt: trackRemoved(timesIn(checkpoint['removedAt']), pods, facts, now),
    laggingSince: trackLagging(timesIn(checkpoint['laggingSince']), pods, facts, now),
    unreadySince: trackUnready(timesIn(checkpoint['unreadySince']), pods, facts, now),
  };
}

/** Times by UID that an earlier look has left behind; none when it left none. */
export function timesIn(left: unknown): Readonly<Record<string, number>> {
  return typeof left === 'object' && left !== null ? (left as Readonly<Record<string, number>>) : {};
}
