import type { PodFilter } from './rule.ts';

/** Evicts pods that nodeferry has taken out of their endpoints, even when their ReplicaSet has let go of them and they look bare. */
export const removedPod: PodFilter = (pod) =>
  pod.endpointsRemoved === undefined ? undefined : { outcome: 'evict', reason: 'it is out of its endpoints' };
