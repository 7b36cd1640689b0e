import { identify, type PodIdentity } from '../drain/actions.ts';
import { podsWith } from '../drain/services-of-pod.ts';
import { indexOf } from '../model/cluster-index.ts';
import { type PodFacts, type ReleasedFacts, templateLabel } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText } from '../text/format.ts';
import { isOnLeaving, isServing, ownedPods, waitsToBeTaken } from './owned-pods.ts';

/** One act that gives released pods back to their ReplicaSets, or ends what nobody takes any more; named as the Cluster port does. */
export interface GiveBackAct {
  readonly kind: 'raiseDeletionCost' | 'adopt' | 'restoreDeletionCost' | 'deletePod';
  readonly pod: PodIdentity;
}

/** What can be done now for the pods that a run has released, and what can't. */
export interface GiveBack {
  readonly acts: readonly GiveBackAct[];
  /** Pods that serve on as they are, each with the reason. */
  readonly stays: readonly { readonly pod: PodIdentity; readonly reason: string }[];
  /** A ReplicaSet that was given pods back has more than it wants still: look again. */
  readonly settling: boolean;
}

type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Decides how the pods that a run has released come back to their ReplicaSets without one that serves being deleted for it. A ReplicaSet
 * with a pod too many first deletes those that don't run or are not ready; between the others its deletion costs decide, so those that
 * shall stay are made dear before, and for as long as it has too many. Pods on cordoned nodes of the pool `leaving` don't come back.
 */
export function decideGiveBack(cluster: ClusterFacts, run: string, leaving?: string): GiveBack {
  const alive = cluster.pods.filter(({ terminating }) => !terminating);
  const goes = (pod: PodFacts) => leaving !== undefined && isOnLeaving(pod, leaving, cluster);
  const released = alive.filter((pod): pod is ReleasedPod => pod.released?.by === run && !goes(pod));
  const groups = Map.groupBy(released, ({ namespace, released: { replicaSet } }) => `${namespace}/${replicaSet.name}`);
  const decided = [...groups.values()].map((pods) => decideReplicaSet(pods, cluster));
  const raised = alive.filter((pod) => pod.costRaisedBy === run && pod.released?.by !== run);
  const settled = raised.filter((pod) => hasChosen(pod, raised, cluster));
  return {
    acts: [...decided.flatMap(({ acts }) => acts), ...settled.map((pod) => act('restoreDeletionCost', pod))],
    stays: decided.flatMap(({ stays }) => stays),
    settling: settled.length < raised.length,
  };
}

/** Pods that one ReplicaSet has lost. */
function decideReplicaSet(pods: readonly ReleasedPod[], cluster: ClusterFacts): Pick<GiveBack, 'acts' | 'stays'> {
  const [first] = pods;
  if (first === undefined) return { acts: [], stays: [] };
  const { workload, wants } = first.released;
  const isGone = indexOf(cluster).workload(workload) === undefined;
  if (isGone) return { acts: pods.map((pod) => act('deletePod', pod)), stays: [] };
  const owned = ownedPods(first.released, first.namespace, cluster);
  const serving = owned.filter(isServing);
  // One that was taken out of its endpoints and is still owned needs its time to leave: with one too many it would be ended before.
  const stand = owned.filter(({ ready }) => ready).length;
  const takes = Math.max(0, (wants ?? 0) - stand);
  // One that was taken out of its endpoints again is on its way out.
  const listed = pods.filter(({ unlisted }) => unlisted === undefined);
  const inOrder = listed.toSorted((a, b) => Number(b.ready) - Number(a.ready) || compareText(a.name, b.name));
  const adopted = inOrder.slice(0, takes);
  const dear = owned.length + adopted.length > (wants ?? 0) ? [...adopted, ...serving] : [];
  const reason = tellStays(first.released);
  return {
    acts: [...dear.map((pod) => act('raiseDeletionCost', pod)), ...adopted.map((pod) => act('adopt', pod))],
    stays: inOrder.slice(takes).map((pod) => ({ pod: identify(pod), reason })),
  };
}

function tellStays({ workload, replicaSet, wants }: ReleasedFacts): string {
  return wants === undefined || wants === 0
    ? `${workload} has gone over to another version and wants none of ${replicaSet.name} any more`
    : `${workload} has as many that serve as it wants`;
}

/**
 * No pod too many is left among those that share the pod's workload, and none that was given back waits to be taken. While it rolls out,
 * more than it wants is what it wants.
 */
function hasChosen(pod: PodFacts, raised: readonly PodFacts[], cluster: ClusterFacts): boolean {
  if (raised.some((other) => waitsToBeTaken(other) && isOfVersion(other, pod) && hasTaker(other, cluster)))
    return false;
  const { workload = '' } = pod;
  const wanted = indexOf(cluster).workload(workload);
  if (wanted === undefined || wanted.rollingOut) return true;
  const has = indexOf(cluster)
    .podsOfWorkload(workload)
    .filter(({ terminating }) => !terminating);
  return has.length <= wanted.replicas;
}

function isOfVersion(other: PodFacts, pod: PodFacts): boolean {
  return other.namespace === pod.namespace && other.labels[templateLabel] === pod.labels[templateLabel];
}

/** Some ReplicaSet has pods of its version. */
function hasTaker({ namespace, labels }: PodFacts, cluster: ClusterFacts): boolean {
  const version = labels[templateLabel];
  if (version === undefined) return false;
  return podsWith({ [templateLabel]: version }, namespace, cluster).some(({ ownerKind }) => ownerKind === 'ReplicaSet');
}

function act(kind: GiveBackAct['kind'], pod: PodFacts): GiveBackAct {
  return { kind, pod: identify(pod) };
}
