import type { DrainRule } from './rule.ts';

/** Skips mirror pods: the kubelet runs them from a file, and no API call ends them (kubectl pkg/drain/filters.go). */
export const mirrorPod: DrainRule = (pod) =>
  pod.mirror || pod.ownerKind === 'Node' ? { outcome: 'skip', reason: 'the kubelet runs it from a file' } : undefined;
