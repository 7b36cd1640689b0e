import type { PodFilter } from './filter.ts';

/**
 * Refuses pods of a DaemonSet that does not exist any more, unless the policy says `force`: nothing would start them again
 * (kubectl pkg/drain/filters.go, daemonSetFilter).
 */
export const orphanedPod: PodFilter = (pod, { drain }) => {
  if (pod.orphaned !== true || drain.force) return undefined;
  return {
    outcome: 'refuse',
    reason: `DaemonSet ${pod.ownerName} does not exist and would not start it again; spec.drain.force allows losing it`,
  };
};
