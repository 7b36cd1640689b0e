import { type PodRef, podRefOf } from '../eviction/actions.ts';
import { indexOf } from '../model/cluster-index.ts';
import { podsWith } from '../model/endpoints.ts';
import { isFinished, type PodFacts, type ReleasedFacts, templateLabel } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, count, listNames } from '../text/format.ts';
import {
  isAbandoned,
  isActive,
  isOutgoing,
  isReleasedBy,
  isReturned,
  isServing,
  ownedPods,
  type ReleasedPod,
  waitsToBeTaken,
} from './owned-pods.ts';

/** One act that gives released pods back to their ReplicaSets; named as the Cluster port does. */
export interface AdoptionAction {
  readonly kind: 'raiseDeletionCost' | 'adopt' | 'restoreDeletionCost';
  readonly pod: PodRef;
}

/** What can be done now for the pods that a run has released, and what can't. */
export interface Adoption {
  readonly acts: readonly AdoptionAction[];
  /** Pods that serve on as they are, each with the reason. */
  readonly stays: readonly { readonly pod: PodRef; readonly reason: string }[];
  /** ReplicaSets that have yet to react to what was given back, in words: look again. */
  readonly awaited: readonly string[];
}

/**
 * Decides how the pods that a run has released come back to their ReplicaSets without one that serves being deleted for it. A ReplicaSet
 * with a pod too many first deletes those that don't run or are not ready; between the others its deletion costs decide, so those that
 * shall stay are made dear before, and for as long as it has too many. Pods on cordoned nodes of the pool `leaving` don't come back.
 */
export function decideAdoption(cluster: ClusterFacts, run: string, leaving?: string): Adoption {
  const goes = (pod: PodFacts) => leaving !== undefined && isOutgoing(pod, leaving, cluster);
  const released = cluster.pods.filter(
    (pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run) && !goes(pod) && !isAbandoned(pod, cluster),
  );
  const groups = Map.groupBy(released, ({ namespace, released: { replicaSet } }) => `${namespace}/${replicaSet.name}`);
  const decided = [...groups.values()].map((pods) => decideReplicaSet(pods, cluster));
  const upkeep = decideUpkeep(cluster, run);
  return {
    acts: [...decided.flatMap(({ acts }) => acts), ...upkeep.acts],
    stays: decided.flatMap(({ stays }) => stays),
    awaited: upkeep.awaited,
  };
}

/**
 * What is put right in every look, on the way forward too: deletion costs are as before once ReplicaSets have chosen, and a pod that
 * somebody has given its label back, or that has failed meanwhile, loses our mark.
 */
export function decideUpkeep(cluster: ClusterFacts, run: string): Pick<Adoption, 'acts' | 'awaited'> {
  const alive = cluster.pods.filter(({ terminating }) => !terminating);
  const unmarked = alive.filter((pod) => isReturned(pod, run) || (isReleasedBy(pod, run) && isFinished(pod)));
  const raised = alive.filter((pod) => pod.costRaisedBy === run && !isReleasedBy(pod, run));
  const decided = raised.map((pod) => ({ pod, awaited: findUnsettled(pod, raised, cluster) }));
  return {
    acts: [
      ...unmarked.map((pod) => act('adopt', pod)),
      ...decided.flatMap(({ pod, awaited }) => (awaited === undefined ? [act('restoreDeletionCost', pod)] : [])),
    ],
    awaited: [...new Set(decided.flatMap(({ awaited }) => awaited ?? []))],
  };
}

/** Why pods that a run has released are left as they are when it ends, by `namespace/name`, and how they go. */
export function explainLeft(
  cluster: ClusterFacts,
  run: string,
): readonly { readonly pod: string; readonly reason: string }[] {
  return decideAdoption(cluster, run).stays.map(({ pod: { namespace, name }, reason }) => ({
    pod: `${namespace}/${name}`,
    reason: `${reason}; it serves on until you delete it, which costs what scaling down does: kubectl delete pod -n ${namespace} ${name}`,
  }));
}

/** What giving back still waits for, in one sentence. */
export function explainAdoption({ acts, awaited }: Pick<Adoption, 'acts' | 'awaited'>): string {
  if (awaited.length > 0) return awaited.slice(0, 3).join('; ');
  const names = [...new Set(acts.map(({ pod }) => `${pod.namespace}/${pod.name}`))];
  return `${count(names.length, 'pod')} adopted or corrected a moment ago (${listNames(names)})`;
}

/** Pods that one ReplicaSet has lost. */
function decideReplicaSet(pods: readonly ReleasedPod[], cluster: ClusterFacts): Pick<Adoption, 'acts' | 'stays'> {
  const [first] = pods;
  if (first === undefined) return { acts: [], stays: [] };
  const { wants } = first.released;
  const owned = ownedPods(first.released, first.namespace, cluster);
  const serving = owned.filter(isServing);
  // One that was taken out of its endpoints and is still owned needs its time to leave: with one too many it would be ended before.
  const stand = owned.filter(({ ready }) => ready).length;
  const takes = Math.max(0, (wants ?? 0) - stand);
  // One that was taken out of its endpoints again is on its way out.
  const listed = pods.filter(({ endpointsRemoved }) => endpointsRemoved === undefined);
  const inOrder = listed.toSorted((a, b) => Number(b.ready) - Number(a.ready) || compareText(a.name, b.name));
  const adopted = inOrder.slice(0, takes);
  const dear = owned.length + adopted.length > (wants ?? 0) ? [...adopted, ...serving] : [];
  const reason = explainStays(first.released);
  return {
    acts: [...dear.map((pod) => act('raiseDeletionCost', pod)), ...adopted.map((pod) => act('adopt', pod))],
    stays: inOrder.slice(takes).map((pod) => ({ pod: podRefOf(pod), reason })),
  };
}

function explainStays({ workload, replicaSet, wants }: ReleasedFacts): string {
  return wants === undefined || wants === 0
    ? `${workload} has gone over to another version and wants none of ${replicaSet.name} any more`
    : `${workload} has as many that serve as it wants`;
}

/**
 * What the deletion cost of a pod is still kept high for: its ReplicaSet has too many, or one that was given back waits to be taken.
 * Undefined when its ReplicaSet has chosen.
 */
function findUnsettled(pod: PodFacts, raised: readonly PodFacts[], cluster: ClusterFacts): string | undefined {
  if (isFinished(pod)) return undefined;
  const waiting = raised.find(
    (other) => isActive(other) && waitsToBeTaken(other) && isOfVersion(other, pod) && hasAdopter(other, cluster),
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

/** Some ReplicaSet has pods of its version. */
function hasAdopter({ namespace, labels }: PodFacts, cluster: ClusterFacts): boolean {
  const version = labels[templateLabel];
  if (version === undefined) return false;
  return podsWith({ [templateLabel]: version }, namespace, cluster).some(({ ownerKind }) => ownerKind === 'ReplicaSet');
}

function act(kind: AdoptionAction['kind'], pod: PodFacts): AdoptionAction {
  return { kind, pod: podRefOf(pod) };
}
