/** The leftovers of ended runs in a cluster, and the actions that remove them. */
import { type PodAction } from '../eviction/actions.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import { disruptedTaint } from '../model/labels.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import { isActive, type PodFacts, type PodRef, podRefOf } from '../model/pod.ts';
import type { PoolFacts, PoolRef, SuspendedScaling } from '../model/pool.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type Adoption, decideAdoption } from '../pod-surge/adoption.ts';
import { isAbandoned, isReleasedBy, type ReleasedPod } from '../pod-surge/owned-pods.ts';
import { count, listNames } from '../text/format.ts';
import { decideRemovedPods, findWait, type TargetsAsked, type WaitingPod } from './removed-pods.ts';

/** An observation of everything on which a run can have left something. */
export interface CleanupQuestion {
  readonly cluster: ClusterFacts;
  /** The pool that was to be replaced. Undefined when it is gone. */
  readonly pool: PoolFacts | undefined;
  /** What is still suspended for it all the same. */
  readonly orphaned?: { readonly pool: PoolRef; readonly suspended: SuspendedScaling };
  /** Name of that pool. */
  readonly name: string;
  /** Pools that runs have created to replace it. */
  readonly replacements: readonly PoolFacts[];
  /** Runs whose leftovers are cleaned up. */
  readonly runs: readonly string[];
  /** See findElsewhere. */
  readonly elsewhere?: readonly string[];
  /** Runs that move nodes to the pool or to one of its replacements, by its name. Absent where none does. */
  readonly movingTo?: Readonly<Record<string, readonly string[]>>;
  /** Those of the runs that hold a lock. */
  readonly locking: readonly string[];
  /** Whether the load balancers of the pods could be asked; what they have answered is in `cluster`. */
  readonly asked: TargetsAsked;
}

/** An action on a pod. */
type CleanupPodAction = Exclude<PodAction, { readonly kind: 'remove-endpoints' }> & { readonly run: string };

/** One action that removes a leftover. */
export type CleanupAction =
  | CleanupPodAction
  | { readonly kind: 'untaint' | 'restore-node' | 'uncordon' | 'unfence'; readonly run: string; readonly node: NodeRef }
  | { readonly kind: 'restore-scaling'; readonly pool: PoolRef; readonly suspended: SuspendedScaling }
  | { readonly kind: 'delete-pool'; readonly pool: PoolRef; readonly run: string }
  | { readonly kind: 'unlock'; readonly run: string };

/** The actions, in order, and what has to stay. */
export interface CleanupPlan {
  readonly runs: readonly string[];
  readonly actions: readonly CleanupAction[];
  /** Leftovers that still serve and so have to stay, each as a sentence. */
  readonly stays: readonly string[];
  /** Pods that leave later, each as a sentence: a load balancer or a kube-proxy may still send to them. */
  readonly waits: readonly string[];
  /** Why the load balancers of these pods could not be asked. Absent where they were, or where none of the pods has any. */
  readonly loadBalancersUnread?: string;
  /** Runs that have ownership marks here but work on another pool, and pools that other runs move to, each with the reason. They are not touched. */
  readonly leftAlone: readonly string[];
  /** Controllers have not yet reacted to the pods that were returned to their ReplicaSets. More actions follow after that. */
  readonly settling: boolean;
  /** The same for load balancers and kube-proxies that have not yet reacted to pods that were removed from endpoints. */
  readonly draining: boolean;
}

/**
 * Plans the removal of everything that runs have left. Pods return to the endpoints of their Services first, and those that have been replaced are
 * evicted once nothing sends to them; then nodes return to the load balancers. Suspended scaling settings are restored, but not of a pool that another run
 * moves to: its new nodes would be removed as unneeded before the pods have moved. A new pool is deleted only while it has no node, because load
 * balancers send connections also through nodes without pods, and those connections would be lost.
 */
export function planCleanup(question: CleanupQuestion): CleanupPlan {
  const { cluster, pool, orphaned, replacements, runs, locking, asked } = question;
  const pools = [...(pool === undefined ? [] : [pool]), ...replacements];
  const suspended = pools.flatMap((one) =>
    one.suspended === undefined ? [] : { pool: one.ref, suspended: one.suspended, movers: moversOf(one.ref, question) },
  );
  const mine = replacements.filter(({ createdBy, status }) => runs.includes(createdBy ?? '') && status !== 'deleting');
  const used = mine.filter((made) => nodesOf(made, cluster).length > 0);
  const adopted = runs.map((run) => ({ run, ...decideAdoption(cluster, run) }));
  const left = runs.map((run) => ({ run, pods: findAbandoned(run, cluster, asked) }));
  const removed = decideRemovedPods(runs, cluster, asked);
  const waits = [...removed.waits, ...left.flatMap(({ pods }) => pods.flatMap(({ wait }) => wait ?? []))];
  const actions: CleanupAction[] = [
    ...removed.actions,
    ...adopted.flatMap(({ run, actions: given }) => given.map((action) => ({ ...action, run }))),
    ...left.flatMap(({ run, pods }) =>
      pods.flatMap(({ pod, listedBy, wait }) =>
        listedBy.length > 0 || wait !== undefined ? [] : [{ kind: 'delete', run, pod } as const],
      ),
    ),
    ...runs.flatMap((run) => cluster.nodes.flatMap((node) => nodeActions(node, run))),
    ...suspended.flatMap(({ movers, ...one }) =>
      movers.length > 0 ? [] : [{ kind: 'restore-scaling', ...one } as const],
    ),
    ...(orphaned === undefined ? [] : [{ kind: 'restore-scaling', ...orphaned } as const]),
    ...mine
      .filter((made) => !used.includes(made))
      .map(({ ref, createdBy = '' }) => ({ kind: 'delete-pool', pool: ref, run: createdBy }) as const),
    ...locking.map((run) => ({ kind: 'unlock', run }) as const),
  ];
  const serving = adopted.flatMap(({ run, stays }) => stays.map((stay) => explainServing(run, stay)));
  return {
    runs,
    actions,
    stays: [
      ...serving,
      ...left.flatMap(({ run, pods }) => pods.flatMap((one) => explainAbandoned(run, one))),
      ...used.map((made) => explainUsed(made, cluster)),
    ],
    waits: waits.map(explainWait),
    ...(waits.some(({ passes }) => !passes) && asked.unread !== undefined
      ? { loadBalancersUnread: asked.unread.why }
      : {}),
    leftAlone: [
      ...(question.elsewhere ?? []),
      ...suspended.flatMap(({ movers, ...one }) => (movers.length > 0 ? explainNeeded(one, movers) : [])),
    ],
    settling: adopted.some(({ awaited }) => awaited.length > 0),
    draining: waits.some(({ passes }) => passes),
  };
}

/** Runs that move nodes to the pool and are not cleaned up. */
function moversOf({ name }: PoolRef, { movingTo = {}, runs }: CleanupQuestion): readonly string[] {
  return (movingTo[name] ?? []).filter((run) => !runs.includes(run));
}

function explainNeeded(
  { pool, suspended }: { readonly pool: PoolRef; readonly suspended: SuspendedScaling },
  movers: readonly string[],
): string {
  const needed = listNames(suspended.what, 10);
  return `pool ${pool.name}: run ${listNames(movers)} moves nodes to it, and restores ${needed} itself; clean up the pool that it replaces if it is gone`;
}

/** Describes an action as something that is to be done. */
export function explainCleanupAction(action: CleanupAction): string {
  switch (action.kind) {
    case 'restore-endpoints':
      return `pod ${action.pod.namespace}/${action.pod.name}: restore the labels that its Services select`;
    case 'evict':
      return `pod ${action.pod.namespace}/${action.pod.name}: evict; its controller has already replaced it`;
    case 'raiseDeletionCost':
      return `pod ${action.pod.namespace}/${action.pod.name}: raise its deletion cost, so that its ReplicaSet keeps it`;
    case 'adopt':
      return `pod ${action.pod.namespace}/${action.pod.name}: return it to its ReplicaSet`;
    case 'restoreDeletionCost':
      return `pod ${action.pod.namespace}/${action.pod.name}: restore its deletion cost`;
    case 'delete':
      return `pod ${action.pod.namespace}/${action.pod.name}: delete; its workload is gone`;
    case 'untaint':
      return `node ${action.node.name}: remove taint ${disruptedTaint}`;
    case 'restore-node':
      return `node ${action.node.name}: remove label node.kubernetes.io/exclude-from-external-load-balancers`;
    case 'uncordon':
      return `node ${action.node.name}: uncordon`;
    case 'unfence':
      return `node ${action.node.name}: remove annotation nodeferry.dev/fence`;
    case 'restore-scaling':
      return `pool ${action.pool.name}: restore ${listNames(action.suspended.what, 10)}`;
    case 'delete-pool':
      return `pool ${action.pool.name}: delete; run ${action.run} created it, and it has no node`;
    case 'unlock':
      return `locks of run ${action.run}: delete`;
  }
}

function explainWait({ pod, reason }: WaitingPod): string {
  return `pod ${pod.namespace}/${pod.name}: ${reason}`;
}

function nodeActions({ name, uid, instanceId, zone, ownership }: NodeFacts, run: string): readonly CleanupAction[] {
  const node = { name, uid, instanceId, zone };
  const { disruptedBy, excludedBy, cordonedBy, fence } = ownership;
  return [
    ...(disruptedBy === run ? [{ kind: 'untaint', run, node } as const] : []),
    ...(excludedBy === run ? [{ kind: 'restore-node', run, node } as const] : []),
    ...(cordonedBy === run ? [{ kind: 'uncordon', run, node } as const] : []),
    ...(fence?.run === run ? [{ kind: 'unfence', run, node } as const] : []),
  ];
}

function nodesOf({ ref }: PoolFacts, cluster: ClusterFacts): readonly string[] {
  return cluster.nodes.filter((node) => node.pool === ref.name).map((node) => node.name);
}

function explainServing(run: string, { pod, reason }: Adoption['stays'][number]): string {
  const name = `${pod.namespace}/${pod.name}`;
  return `pod ${name}, released by run ${run}, still serves: ${reason}; keep it until a run replaces its node, or delete it when its callers no longer need it`;
}

/** Pods that a run released from a workload that is gone now, each with the Services that still send connections to it. */
function findAbandoned(run: string, cluster: ClusterFacts, asked: TargetsAsked): readonly AbandonedPod[] {
  return cluster.pods
    .filter((pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run) && isAbandoned(pod, cluster))
    .map((pod) => {
      const services = servicesOf(pod, cluster).filter((service) => isReadyEndpoint(pod, service));
      const wait = services.length > 0 ? undefined : findWait(pod, cluster, asked);
      return { pod: podRefOf(pod), workload: pod.released.workload, listedBy: services.map(({ key }) => key), wait };
    });
}

/** Pods that leave, or have to wait until they can, because a run removed them from endpoints or their workload is gone. */
export function podsThatLeave({ pods }: ClusterFacts, runs: readonly string[]): readonly PodFacts[] {
  return pods.filter(({ endpointsRemoved, released }) => {
    const by = endpointsRemoved?.by ?? released?.by;
    return by !== undefined && runs.includes(by);
  });
}

interface AbandonedPod {
  readonly pod: PodRef;
  readonly workload: string;
  readonly listedBy: readonly string[];
  readonly wait: WaitingPod | undefined;
}

function explainAbandoned(run: string, { pod, workload, listedBy }: AbandonedPod): readonly string[] {
  if (listedBy.length === 0) return [];
  const name = `${pod.namespace}/${pod.name}`;
  return [
    `pod ${name}, released by run ${run}, still serves ${listNames(listedBy)}, although ${workload} is gone: delete it when its callers no longer need it`,
  ];
}

function explainUsed(pool: PoolFacts, cluster: ClusterFacts): string {
  const nodes = nodesOf(pool, cluster);
  return (
    `pool ${pool.ref.name}, created by run ${pool.createdBy ?? ''}, has ${count(nodes.length, 'node')} (${listNames(nodes)}) to which load ` +
    'balancers may send connections; keep the pool, or exclude and drain each node before you delete it'
  );
}
