import { onceFor } from '../model/cluster-index.ts';
import type { PodFacts, ReleasedFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { isServing, ownedPods } from './owned-pods.ts';

/**
 * Adds to each release how many pods of the ReplicaSet served before any was released. If some are released already, the number that was
 * recorded for them applies, because their replacements run beside them now.
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

/** Counts by UID of the ReplicaSet, cached for each observation, because a plan asks for batch after batch. */
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
 * How many pods of a ReplicaSet have to serve before the released ones may leave: as many as before, but no more than its replicas that can be
 * scheduled. A ReplicaSet with no replicas has been replaced by a rollout, and the pods of the newer version run already.
 */
export function countNeeded(pods: readonly { readonly released: ReleasedFacts }[], unplaced: UnplacedPods): number {
  const needs = pods.map(({ released: { wants = 0, served = wants, workload } }) =>
    Math.min(served, Math.max(0, wants - (unplaced[workload] ?? 0))),
  );
  return Math.max(0, ...needs);
}
