import type { PodSurgeRule } from './rule.ts';

/** A pod that does not serve need not be surged, and a terminating one is leaving already. */
export const readiness: PodSurgeRule = ({ ready, terminating }) => {
  if (terminating) return { reason: 'it is already terminating' };
  return ready ? undefined : { reason: 'it is not ready', passes: true };
};
