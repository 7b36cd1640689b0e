import type { PodFilter } from './filter.ts';

/**
 * Skips DaemonSet pods, whatever their state: their controller would start them again at once; those that are endpoints are removed later.
 * A finished one is not deleted, as in kubectl: the DaemonSet deletes it itself and starts the next after an increasing pause, and one that
 * fails again at once would keep the eviction from ever ending (kubernetes pkg/controller/daemon, failedPodsBackoff).
 */
export const daemonSetPod: PodFilter = (pod) =>
  pod.ownerKind === 'DaemonSet' && pod.orphaned !== true
    ? { outcome: 'skip', reason: 'its DaemonSet would start it again' }
    : undefined;
