import type { PodFilter } from './rule.ts';

/**
 * Skips DaemonSet pods, whatever their state: their controller would put them back at once; those that are endpoints are retired later.
 * A finished one is not deleted, as kubectl does: the DaemonSet deletes it itself and starts the next, with a growing pause, and one that
 * fails again at once would keep a drain from ever ending (kubernetes pkg/controller/daemon, failedPodsBackoff).
 */
export const daemonSetPod: PodFilter = (pod) =>
  pod.ownerKind === 'DaemonSet' && pod.orphaned !== true
    ? { outcome: 'skip', reason: 'its DaemonSet would put it back' }
    : undefined;
