import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { handOverTermsOf, type Policy } from '../policy/policy.ts';

/** The most pods of a workload that may be released at a time. */
export function mostReleased(workload: WorkloadFacts, policy: Policy): number {
  const { replicas, surge = 0 } = workload;
  const { surplus } = handOverTermsOf(policy, workload);
  return surplus === 'maxSurge' ? surge : Math.ceil(surplus * replicas);
}

/** Pods of each workload that are released now, by whatever run: their owners pay for both until they have left. */
export const countReleased = onceFor(({ pods }: ClusterFacts): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { released, terminating } of pods) {
    if (released === undefined || terminating) continue;
    counts.set(released.workload, (counts.get(released.workload) ?? 0) + 1);
  }
  return counts;
});

/** The workload that keeps a pod, or kept it until it was released. */
export function workloadOf(pod: PodFacts, cluster: ClusterFacts): WorkloadFacts | undefined {
  return indexOf(cluster).workload(pod.released?.workload ?? pod.workload ?? '');
}
