import type { DrainRule } from './rule.ts';

/** Skips DaemonSet pods: their controller would put them back at once; those that are endpoints are retired later. */
export const daemonSetPod: DrainRule = (pod) =>
  pod.ownerKind === 'DaemonSet' ? { outcome: 'skip', reason: 'its DaemonSet would put it back' } : undefined;
