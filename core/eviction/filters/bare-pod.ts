import type { PodFilter } from './filter.ts';

/**
 * Refuses pods that no controller would start again, unless the policy says `force` (kubectl pkg/drain/filters.go). One that the run has
 * released has been replaced by its ReplicaSet.
 */
export const barePod: PodFilter = (pod, { drain }) => {
  if (pod.ownerKind !== 'none' || pod.released !== undefined || drain.force) return undefined;
  return { outcome: 'refuse', reason: 'no controller would start it again; spec.drain.force allows losing it' };
};
