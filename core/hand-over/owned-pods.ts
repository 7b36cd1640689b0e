import { indexOf } from '../model/cluster-index.ts';
import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/** Pods that a ReplicaSet has and that were not told to stop: those that it counts. */
export function ownedPods({ workload, replicaSet }: ReleasedFrom, cluster: ClusterFacts): readonly PodFacts[] {
  return indexOf(cluster)
    .podsOfWorkload(workload)
    .filter(({ ownerName, terminating }) => ownerName === replicaSet.name && !terminating);
}

/** It is ready, and nobody has taken it out of its endpoints. */
export function isServing({ ready, unlisted }: PodFacts): boolean {
  return ready && unlisted === undefined;
}
