import type { PodFilter } from './filter.ts';

/** Refuses pods whose emptyDir data would be lost, unless the policy says `deleteEmptyDirData` (kubectl pkg/drain/filters.go). */
export const emptyDirPod: PodFilter = (pod, { drain }) => {
  if (!pod.hasEmptyDir || drain.deleteEmptyDirData) return undefined;
  return { outcome: 'refuse', reason: 'it has emptyDir data; spec.drain.deleteEmptyDirData allows losing it' };
};
