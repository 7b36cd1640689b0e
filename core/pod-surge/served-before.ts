import { onceFor } from '../model/cluster-index.ts';
import type { PodFacts, ReleasedFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { isServing, ownedPods } from './owned-pods.ts';

/**
 * What pods are released from, with how many pods of their ReplicaSet serve as long as none is released. Where some are already, what was seen
 * before the first of them stands: their replacements come beside them.
 */
export function noteServed(
  froms: readonly { readonly pod: PodFacts; readonly from: ReleasedFrom }[],
  cluster: ClusterFacts,
): readonly { readonly pod: PodFacts; readonly from: ReleasedFrom }[] {
  const counts = countsIn(cluster);
  return froms.map(({ pod, from }) => {
    const { uid } = from.replicaSet;
    const served = counts.get(uid) ?? countServed(from, pod.namespace, cluster);
    counts.set(uid, served);
    return { pod, from: { ...from, served } };
  });
}

/** What was counted of a cluster stands for as long as it is looked at: a plan asks wave after wave. By UID of the ReplicaSet. */
const countsIn = onceFor((_cluster: ClusterFacts) => new Map<string, number>());

const releasedByReplicaSet = onceFor((pods: readonly PodFacts[]) =>
  Map.groupBy(
    pods.flatMap(({ released, terminating }) => (released === undefined || terminating ? [] : released)),
    ({ replicaSet }) => replicaSet.uid,
  ),
);

function countServed(from: ReleasedFrom, namespace: string, cluster: ClusterFacts): number {
  const released = releasedByReplicaSet(cluster.pods).get(from.replicaSet.uid) ?? [];
  const noted = released.flatMap(({ served }) => served ?? []);
  return Math.max(ownedPods(from, namespace, cluster).filter(isServing).length, ...noted);
}

/**
 * How many pods of a ReplicaSet have to serve before those that were released may leave: as many as did before, and no more than it wants and
 * finds room for. One that wants none has been rolled over: the newer version's pods are there already.
 */
export function countNeeded(pods: readonly { readonly released: ReleasedFacts }[], unplaced: UnplacedPods): number {
  const needs = pods.map(({ released: { wants = 0, served = wants, workload } }) =>
    Math.min(served, Math.max(0, wants - (unplaced[workload] ?? 0))),
  );
  return Math.max(0, ...needs);
}
