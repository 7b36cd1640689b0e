import type { DrainRule } from './rule.ts';

/** Refuses pods that no controller would start again, unless the policy says `force` (kubectl pkg/drain/filters.go). */
export const barePod: DrainRule = (pod, { drain }) => {
  if (pod.ownerKind !== 'none' || drain.force) return undefined;
  return { outcome: 'refuse', reason: 'no controller would start it again; spec.drain.force allows to lose it' };
};
