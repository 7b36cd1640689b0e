import { indexOf } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** How many pods beyond its replicas a workload may have for a hand-over: as many as in its own rollouts, or a share (0-1) of its replicas. */
export type Surplus = 'maxSurge' | number;

/** The most pods of a workload that may be released at a time. */
export function mostReleased({ replicas, surge = 0 }: WorkloadFacts, surplus: Surplus): number {
  return surplus === 'maxSurge' ? surge : Math.ceil(surplus * replicas);
}

/** Pods of each workload that are released now, by whatever run: their owners pay for both until they have left. */
export function countReleased({ pods }: ClusterFacts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { released, terminating } of pods) {
    if (released === undefined || terminating) continue;
    counts.set(released.workload, (counts.get(released.workload) ?? 0) + 1);
  }
  return counts;
}

/** The workload that keeps a pod, or kept it until it was released. */
export function workloadOf(pod: PodFacts, cluster: ClusterFacts): WorkloadFacts | undefined {
  const key = pod.released?.workload ?? pod.workload;
  return indexOf(cluster)
    .workloadsIn(pod.namespace)
    .find((workload) => workload.key === key);
}
