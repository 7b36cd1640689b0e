import type { PodFilter } from './filter.ts';

/** Evicts pods that nodeferry has removed from their endpoints, even when their ReplicaSet has released them and they seem bare. */
export const removedPod: PodFilter = (pod) =>
  pod.endpointsRemoved === undefined ? undefined : { outcome: 'evict', reason: 'it is out of its endpoints' };
