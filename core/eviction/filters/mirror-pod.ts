import type { PodFilter } from './filter.ts';

/** Skips mirror pods: the kubelet runs them from a file, and no API call ends them (kubectl pkg/drain/filters.go). */
export const mirrorPod: PodFilter = (pod) =>
  pod.mirror || pod.ownerKind === 'Node' ? { outcome: 'skip', reason: 'the kubelet runs it from a file' } : undefined;
