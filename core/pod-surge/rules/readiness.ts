import type { PodSurgeRule } from './rule.ts';

/** A pod that does not serve has nothing to hand over, and one that leaves does so by itself. */
export const readiness: PodSurgeRule = ({ ready, terminating }) => {
  if (terminating) return { reason: 'it was told to stop already' };
  return ready ? undefined : { reason: 'it is not ready', passes: true };
};
