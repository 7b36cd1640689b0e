/** What runs that are over have left on a cluster, and the acts that take it away. */
import { type PodRef, podRefOf } from '../eviction/actions.ts';
import { decideRestore } from '../eviction/restore-pods.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import { disruptedTaint } from '../model/labels.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { PoolFacts, PoolRef } from '../model/pool.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type Adoption, type AdoptionAction, decideAdoption } from '../pod-surge/adoption.ts';
import { isAbandoned, isActive, isReleasedBy, type ReleasedPod } from '../pod-surge/owned-pods.ts';
import { count, listNames } from '../text/format.ts';

/** A look at everything that a run can have left a mark on. */
export interface CleanupQuestion {
  readonly cluster: ClusterFacts;
  /** The pool that was to be replaced; undefined when it is gone. */
  readonly pool: PoolFacts | undefined;
  /** Name of that pool. */
  readonly name: string;
  /** Pools that runs have created in place of it. */
  readonly replacements: readonly PoolFacts[];
  /** Runs to sweep after. */
  readonly runs: readonly string[];
  /** See findElsewhere. */
  readonly elsewhere?: readonly string[];
  /** Those of them that hold a lock. */
  readonly locking: readonly string[];
}

/** One act that takes something away. */
export type CleanupAct =
  | {
      readonly kind: 'restore-endpoints' | 'evict' | 'deletePod' | AdoptionAction['kind'];
      readonly run: string;
      readonly pod: PodRef;
    }
  | { readonly kind: 'untaint' | 'include' | 'uncordon' | 'unclaim'; readonly run: string; readonly node: NodeRef }
  | { readonly kind: 'release'; readonly pool: PoolRef; readonly held: readonly string[] }
  | { readonly kind: 'delete-pool'; readonly pool: PoolRef; readonly run: string }
  | { readonly kind: 'unlock'; readonly run: string };

/** What would be done, in that order, and what has to stay. */
export interface CleanupPlan {
  readonly runs: readonly string[];
  readonly acts: readonly CleanupAct[];
  /** Things of ours that serve and therefore stay, in words. */
  readonly stays: readonly string[];
  /** Runs that have marks here and work on another pool, each with what says so: theirs is theirs. */
  readonly leftAlone: readonly string[];
  /** Controllers have yet to react to what was given back; there is more to do after that. */
  readonly settling: boolean;
}

/**
 * Plans what takes away everything that runs have left: pods come back into their Services first, then their nodes into the load
 * balancers; what was held is let go. A new pool goes only when it has no node yet: nodes without a pod of anybody's are in load balancers
 * all the same, and what passes through them would be lost.
 */
export function planCleanup(question: CleanupQuestion): CleanupPlan {
  const { cluster, pool, replacements, runs, locking } = question;
  const pools = [...(pool === undefined ? [] : [pool]), ...replacements];
  const mine = replacements.filter(({ createdBy, status }) => runs.includes(createdBy ?? '') && status !== 'deleting');
  const used = mine.filter((made) => nodesOf(made, cluster).length > 0);
  const adopted = runs.map((run) => ({ run, ...decideAdoption(cluster, run) }));
  const left = runs.map((run) => ({ run, pods: findAbandoned(run, cluster) }));
  const acts: CleanupAct[] = [
    ...runs.flatMap((run) => cluster.nodes.flatMap((node) => podActs(node, cluster, run))),
    ...adopted.flatMap(({ run, acts: given }) => given.map((act) => ({ ...act, run }))),
    ...left.flatMap(({ run, pods }) =>
      pods.flatMap(({ pod, listedBy }) => (listedBy.length > 0 ? [] : [{ kind: 'deletePod', run, pod } as const])),
    ),
    ...runs.flatMap((run) => cluster.nodes.flatMap((node) => nodeActs(node, run))),
    ...pools.flatMap(({ ref, held }) => (held === undefined ? [] : [{ kind: 'release', pool: ref, held } as const])),
    ...mine
      .filter((made) => !used.includes(made))
      .map(({ ref, createdBy = '' }) => ({ kind: 'delete-pool', pool: ref, run: createdBy }) as const),
    ...locking.map((run) => ({ kind: 'unlock', run }) as const),
  ];
  const serving = adopted.flatMap(({ run, stays }) => stays.map((stay) => explainServing(run, stay)));
  return {
    runs,
    acts,
    stays: [
      ...serving,
      ...left.flatMap(({ run, pods }) => pods.flatMap((one) => explainAbandoned(run, one))),
      ...used.map((made) => explainUsed(made, cluster)),
    ],
    leftAlone: question.elsewhere ?? [],
    settling: adopted.some(({ awaited }) => awaited.length > 0),
  };
}

/** The act in words, as something that is to be done. */
export function explainCleanupAct(act: CleanupAct): string {
  switch (act.kind) {
    case 'restore-endpoints':
      return `pod ${act.pod.namespace}/${act.pod.name}: restore the labels that its Services select`;
    case 'evict':
      return `pod ${act.pod.namespace}/${act.pod.name}: evict; its controller has replaced it already`;
    case 'raiseDeletionCost':
      return `pod ${act.pod.namespace}/${act.pod.name}: raise its deletion cost, so that its ReplicaSet keeps it`;
    case 'adopt':
      return `pod ${act.pod.namespace}/${act.pod.name}: give it back to its ReplicaSet`;
    case 'restoreDeletionCost':
      return `pod ${act.pod.namespace}/${act.pod.name}: restore its deletion cost`;
    case 'deletePod':
      return `pod ${act.pod.namespace}/${act.pod.name}: delete; its workload is gone`;
    case 'untaint':
      return `node ${act.node.name}: remove taint ${disruptedTaint}`;
    case 'include':
      return `node ${act.node.name}: remove label node.kubernetes.io/exclude-from-external-load-balancers`;
    case 'uncordon':
      return `node ${act.node.name}: uncordon`;
    case 'unclaim':
      return `node ${act.node.name}: remove annotation nodeferry.dev/fence`;
    case 'release':
      return `pool ${act.pool.name}: restore ${listNames(act.held, 10)}`;
    case 'delete-pool':
      return `pool ${act.pool.name}: delete; run ${act.run} made it, and it has no node`;
    case 'unlock':
      return `locks of run ${act.run}: delete`;
  }
}

function podActs(node: NodeFacts, cluster: ClusterFacts, run: string): readonly CleanupAct[] {
  return decideRestore(node, indexOf(cluster).podsOn(node.name), run).map(({ kind, pod }) => ({
    kind: kind === 'restore-endpoints' ? 'restore-endpoints' : 'evict',
    run,
    pod: podRefOf(pod),
  }));
}

function nodeActs({ name, uid, instanceId, zone, ownership }: NodeFacts, run: string): readonly CleanupAct[] {
  const node = { name, uid, instanceId, zone };
  const { disruptedBy, excludedBy, cordonedBy, fence } = ownership;
  return [
    ...(disruptedBy === run ? [{ kind: 'untaint', run, node } as const] : []),
    ...(excludedBy === run ? [{ kind: 'include', run, node } as const] : []),
    ...(cordonedBy === run ? [{ kind: 'uncordon', run, node } as const] : []),
    ...(fence?.run === run ? [{ kind: 'unclaim', run, node } as const] : []),
  ];
}

function nodesOf({ ref }: PoolFacts, cluster: ClusterFacts): readonly string[] {
  return cluster.nodes.filter((node) => node.pool === ref.name).map((node) => node.name);
}

function explainServing(run: string, { pod, reason }: Adoption['stays'][number]): string {
  const name = `${pod.namespace}/${pod.name}`;
  return `pod ${name}, released by run ${run}, serves on: ${reason}; it leaves in the safe order when a run replaces its node, or delete it when its callers do not need it`;
}

/** Pods that a run had released from a workload that is gone since, each with the Services that still send to it. */
function findAbandoned(run: string, cluster: ClusterFacts): readonly AbandonedPod[] {
  return cluster.pods
    .filter((pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run) && isAbandoned(pod, cluster))
    .map((pod) => ({
      pod: podRefOf(pod),
      workload: pod.released.workload,
      listedBy: servicesOf(pod, cluster)
        .filter((service) => isReadyEndpoint(pod, service))
        .map(({ key }) => key),
    }));
}

interface AbandonedPod {
  readonly pod: PodRef;
  readonly workload: string;
  readonly listedBy: readonly string[];
}

function explainAbandoned(run: string, { pod, workload, listedBy }: AbandonedPod): readonly string[] {
  if (listedBy.length === 0) return [];
  const name = `${pod.namespace}/${pod.name}`;
  return [
    `pod ${name}, released by run ${run}, serves ${listNames(listedBy)}, though ${workload} is gone: delete it when its callers do not need it`,
  ];
}

function explainUsed(pool: PoolFacts, cluster: ClusterFacts): string {
  const nodes = nodesOf(pool, cluster);
  return (
    `pool ${pool.ref.name}, made by run ${pool.createdBy ?? ''}, has ${count(nodes.length, 'node')} (${listNames(nodes)}) that load balancers ` +
    'may send to; take each out of them and drain it before you delete the pool, or keep it'
  );
}
