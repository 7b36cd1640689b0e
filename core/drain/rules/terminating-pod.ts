import type { DrainRule } from './rule.ts';

/** Waits for pods that are terminating already, whoever asked for it. */
export const terminatingPod: DrainRule = (pod) =>
  pod.terminating ? { outcome: 'await', reason: 'it is terminating' } : undefined;
