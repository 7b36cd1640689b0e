import { indexOf, onceFor } from '../model/cluster-index.ts';
import { isActive, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { type Policy, podSurgeTermsOf } from '../policy/policy.ts';
import { type Room, roomFor } from './quota-room.ts';

/** The most pods of a workload that may be released at a time, according to the policy and the quotas of its namespace. */
export function maxReleased(
  workload: WorkloadFacts,
  { cluster, policy }: { readonly cluster: ClusterFacts; readonly policy: Policy },
): number {
  const wanted = surgeLimitOf(workload, policy);
  const room = roomOf(workload, cluster);
  return room === undefined ? wanted : Math.min(wanted, room.pods);
}

/** The most pods according to the policy alone. */
export function surgeLimitOf(workload: WorkloadFacts, policy: Policy): number {
  const { replicas, surge = 0 } = workload;
  const { max } = podSurgeTermsOf(policy, workload);
  return max === 'maxSurge' ? surge : Math.ceil(max * replicas);
}

/** The room that the quotas of its namespace leave for its replacements. Undefined when no quota counts them. */
export function roomOf({ key, namespace }: WorkloadFacts, cluster: ClusterFacts): Room | undefined {
  if (!(cluster.quotas ?? []).some((quota) => quota.namespace === namespace)) return undefined;
  const pod = indexOf(cluster).podsMadeBy(key).find(isActive);
  return pod === undefined ? undefined : roomFor(pod, cluster);
}

/** Number of pods of each workload that are released now, by any run. Each of them and its replacement run at the same time. */
export const countReleased = onceFor(({ pods }: ClusterFacts): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { released, terminating } of pods) {
    if (released === undefined || terminating) continue;
    counts.set(released.workload, (counts.get(released.workload) ?? 0) + 1);
  }
  return counts;
});

/** The workload that controls a pod, or controlled it until it was released. */
export function workloadOf(pod: PodFacts, cluster: ClusterFacts): WorkloadFacts | undefined {
  return indexOf(cluster).workload(pod.released?.workload ?? pod.workload ?? '');
}
