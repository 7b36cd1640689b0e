import type { PodFacts } from '../model/pod.ts';
import { barePod } from './rules/bare-pod.ts';
import { daemonSetPod } from './rules/daemonset-pod.ts';
import { emptyDirPod } from './rules/empty-dir-pod.ts';
import { finishedPod } from './rules/finished-pod.ts';
import { jobPod } from './rules/job-pod.ts';
import { mirrorPod } from './rules/mirror-pod.ts';
import { orphanedPod } from './rules/orphaned-pod.ts';
import { protectedPod } from './rules/protected-pod.ts';
import { removedPod } from './rules/removed-pod.ts';
import type { FilterContext, PodFilter, PodVerdict } from './rules/rule.ts';
import { safeToEvictPod } from './rules/safe-to-evict-pod.ts';
import { terminatingPod } from './rules/terminating-pod.ts';

/** The rules in the order in which they are asked; the first one with a verdict decides. Each is a row of docs/drain-rules.md. */
const podFilters: readonly PodFilter[] = [
  mirrorPod,
  daemonSetPod,
  terminatingPod,
  finishedPod,
  removedPod,
  protectedPod,
  safeToEvictPod,
  jobPod,
  orphanedPod,
  barePod,
  emptyDirPod,
];

/** Decides what happens to one pod of a node that is being emptied. */
export function classifyPod(pod: PodFacts, context: FilterContext): PodVerdict {
  for (const rule of podFilters) {
    const decision = rule(pod, context);
    if (decision !== undefined) return decision;
  }
  return { outcome: 'evict', reason: 'its controller starts it elsewhere' };
}
