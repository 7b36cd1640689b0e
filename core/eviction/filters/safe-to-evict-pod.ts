import type { PodFilter } from './filter.ts';

/**
 * Evicts pods whose owner says that it is safe (`cluster-autoscaler.kubernetes.io/safe-to-evict: "true"`), though they are bare, orphaned,
 * of a Job or have emptyDir data (cluster-autoscaler simulator/drainability/rules/safetoevict).
 */
export const safeToEvictPod: PodFilter = (pod) =>
  pod.safeToEvict === 'true' ? { outcome: 'evict', reason: 'its owner says that it is safe to evict' } : undefined;
