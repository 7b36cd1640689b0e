import { type PodAction } from '../eviction/actions.ts';
import { indexOf } from '../model/cluster-index.ts';
import { podsWith } from '../model/endpoints.ts';
import {
  isActive,
  isFinished,
  type PodFacts,
  type PodRef,
  podRefOf,
  type ReleasedFacts,
  templateLabel,
} from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { NodeUids } from '../policy/members.ts';
import { compareText, count, listNames } from '../text/format.ts';
import {
  awaitsAdoption,
  isAbandoned,
  isOutgoing,
  isReleasedBy,
  isReturned,
  isServing,
  ownedPods,
  type ReleasedPod,
} from './owned-pods.ts';

/** One action that returns released pods to their ReplicaSets. */
export type AdoptionAction = Extract<
  PodAction,
  { readonly kind: 'raiseDeletionCost' | 'adopt' | 'restoreDeletionCost' }
>;

/** What to do now with the pods that a run has released, and which of them cannot return. */
export interface Adoption {
  readonly actions: readonly AdoptionAction[];
  /** Pods that stay released and keep serving, each with the reason. */
  readonly stays: readonly { readonly pod: PodRef; readonly reason: string }[];
  /** ReplicaSets that have not yet reacted to the pods returned to them, each as a sentence. Decide again after the next observation. */
  readonly awaited: readonly string[];
}

/** Which pods return: all released ones unless it says otherwise. */
export interface AdoptionLimits {
  /** Nodes that leave once they are cordoned: pods on them do not return. */
  readonly leaving?: NodeUids;
  /** Names of nodes: only pods on them return. */
  readonly nodes?: readonly string[];
}

/**
 * Decides how the pods that a run has released return to their ReplicaSets without the deletion of a serving pod. A ReplicaSet with too many
 * pods first deletes those that are not running or not ready, and then chooses by deletion cost. So the deletion cost of the pods that must
 * stay is raised before, and for as long as it has too many.
 */
export function decideAdoption(cluster: ClusterFacts, run: string, { leaving, nodes }: AdoptionLimits = {}): Adoption {
  const goes = (pod: PodFacts) =>
    (leaving !== undefined && isOutgoing(pod, leaving, cluster)) || nodes?.includes(pod.node ?? '') === false;
  const released = cluster.pods.filter(
    (pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run) && !goes(pod) && !isAbandoned(pod, cluster),
  );
  const groups = Map.groupBy(released, ({ namespace, released: { replicaSet } }) => `${namespace}/${replicaSet.name}`);
  const decided = [...groups.values()].map((pods) => decideReplicaSet(pods, cluster));
  const upkeep = decideUpkeep(cluster, run);
  return {
    actions: [...decided.flatMap(({ actions }) => actions), ...upkeep.actions],
    stays: decided.flatMap(({ stays }) => stays),
    awaited: upkeep.awaited,
  };
}

/**
 * What every round corrects, also while the run goes forward. Deletion costs are restored once the ReplicaSets have deleted their excess pods.
 * A released pod whose label somebody has restored, or that has finished meanwhile, loses its annotation.
 */
export function decideUpkeep(cluster: ClusterFacts, run: string): Pick<Adoption, 'actions' | 'awaited'> {
  const alive = cluster.pods.filter(({ terminating }) => !terminating);
  const unmarked = alive.filter((pod) => isReturned(pod, run) || (isReleasedBy(pod, run) && isFinished(pod)));
  const raised = alive.filter((pod) => pod.costRaisedBy === run && !isReleasedBy(pod, run));
  const decided = raised.map((pod) => ({ pod, awaited: findUnsettled(pod, raised, cluster) }));
  return {
    actions: [
      ...unmarked.map((pod) => actionOf('adopt', pod)),
      ...decided.flatMap(({ pod, awaited }) => (awaited === undefined ? [actionOf('restoreDeletionCost', pod)] : [])),
    ],
    awaited: [...new Set(decided.flatMap(({ awaited }) => awaited ?? []))],
  };
}

/** Explains why pods that a run has released stay released when it ends, by `namespace/name`, and how to delete them. */
export function explainLeft(
  cluster: ClusterFacts,
  run: string,
): readonly { readonly pod: string; readonly reason: string }[] {
  return decideAdoption(cluster, run).stays.map(({ pod: { namespace, name }, reason }) => ({
    pod: `${namespace}/${name}`,
    reason: `${reason}; it serves on until you delete it, which is like scaling down by one pod: kubectl delete pod -n ${namespace} ${name}`,
  }));
}

/** Says in one sentence what the return of the pods still waits for. */
export function explainAdoption({ actions, awaited }: Pick<Adoption, 'actions' | 'awaited'>): string {
  if (awaited.length > 0) return awaited.slice(0, 3).join('; ');
  const names = [...new Set(actions.map(({ pod }) => `${pod.namespace}/${pod.name}`))];
  return `${count(names.length, 'pod')} returned or corrected a moment ago (${listNames(names)})`;
}

/** Decides about the released pods of one ReplicaSet. */
function decideReplicaSet(pods: readonly ReleasedPod[], cluster: ClusterFacts): Pick<Adoption, 'actions' | 'stays'> {
  const [first] = pods;
  if (first === undefined) return { actions: [], stays: [] };
  const { wants } = first.released;
  const owned = ownedPods(first.released, first.namespace, cluster);
  const serving = owned.filter(isServing);
  // An owned pod that was removed from its endpoints counts too. Otherwise the ReplicaSet would have one too many and delete it too early.
  const readyCount = owned.filter(({ ready }) => ready).length;
  const takes = Math.max(0, (wants ?? 0) - readyCount);
  // A pod that was removed from its endpoints again is leaving.
  const listed = pods.filter(({ endpointsRemoved }) => endpointsRemoved === undefined);
  const inOrder = listed.toSorted((a, b) => Number(b.ready) - Number(a.ready) || compareText(a.name, b.name));
  const adopted = inOrder.slice(0, takes);
  const protectedPods = owned.length + adopted.length > (wants ?? 0) ? [...adopted, ...serving] : [];
  const reason = explainStays(first.released);
  return {
    actions: [
      ...protectedPods.map((pod) => actionOf('raiseDeletionCost', pod)),
      ...adopted.map((pod) => actionOf('adopt', pod)),
    ],
    stays: inOrder.slice(takes).map((pod) => ({ pod: podRefOf(pod), reason })),
  };
}

function explainStays({ workload, replicaSet, wants }: ReleasedFacts): string {
  return wants === undefined || wants === 0
    ? `${workload} has rolled out another version and wants no pod of ${replicaSet.name} any more`
    : `${workload} has as many serving pods as it wants`;
}

/**
 * Why the deletion cost of a pod is still raised: its ReplicaSet has too many pods, or has not yet adopted a returned one.
 * Undefined when its ReplicaSet has reacted.
 */
function findUnsettled(pod: PodFacts, raised: readonly PodFacts[], cluster: ClusterFacts): string | undefined {
  if (isFinished(pod)) return undefined;
  const waiting = raised.find(
    (other) => isActive(other) && awaitsAdoption(other) && isOfVersion(other, pod) && hasAdopter(other, cluster),
  );
  if (waiting !== undefined) return `${waiting.namespace}/${waiting.name} waits for its ReplicaSet to adopt it`;
  const { ownerName, ownerWants, namespace } = pod;
  if (ownerWants === undefined) return undefined;
  const owned = indexOf(cluster)
    .podsOfWorkload(pod.workload ?? '')
    .filter((other) => isActive(other) && other.ownerName === ownerName && other.namespace === namespace).length;
  if (owned <= ownerWants) return undefined;
  return `ReplicaSet ${namespace}/${ownerName} has ${owned} pods, wants ${ownerWants} and has yet to delete what is too many`;
}

function isOfVersion(other: PodFacts, pod: PodFacts): boolean {
  return other.namespace === pod.namespace && other.labels[templateLabel] === pod.labels[templateLabel];
}

/** Whether a ReplicaSet has pods of its version. */
function hasAdopter({ namespace, labels }: PodFacts, cluster: ClusterFacts): boolean {
  const version = labels[templateLabel];
  if (version === undefined) return false;
  return podsWith({ [templateLabel]: version }, namespace, cluster).some(({ ownerKind }) => ownerKind === 'ReplicaSet');
}

function actionOf(kind: AdoptionAction['kind'], pod: PodFacts): AdoptionAction {
  return { kind, pod: podRefOf(pod) };
}
