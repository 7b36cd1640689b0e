import type { PodFacts } from '../model/pod.ts';

/** Lowest priority of the cluster's own components: `system-cluster-critical` (kubernetes pkg/apis/scheduling/types.go). */
const systemCriticalPriority = 2_000_000_000;

/** The priority of a pod; the kubelet terminates pods of lower ones first when its node shuts down (Kubernetes docs, "Node Shutdowns"). */
export function priorityOf({ priority = 0 }: Pick<PodFacts, 'priority'>): number {
  return priority;
}

/**
 * Whether others may need the pod while they leave, as they need cluster DNS. Karpenter too drains such pods in a group of their own, after
 * the rest (pkg/controllers/node/termination/terminator, groupPodsByPriority).
 */
export function isCritical(pod: Pick<PodFacts, 'priority'>): boolean {
  return priorityOf(pod) >= systemCriticalPriority;
}
