import type { PodFacts } from '../model/pod.ts';
import { barePod } from './filters/bare-pod.ts';
import { daemonSetPod } from './filters/daemonset-pod.ts';
import { doNotDisruptPod } from './filters/do-not-disrupt-pod.ts';
import { emptyDirPod } from './filters/empty-dir-pod.ts';
import type { FilterContext, PodFilter, PodVerdict } from './filters/filter.ts';
import { finishedPod } from './filters/finished-pod.ts';
import { jobPod } from './filters/job-pod.ts';
import { mirrorPod } from './filters/mirror-pod.ts';
import { orphanedPod } from './filters/orphaned-pod.ts';
import { removedPod } from './filters/removed-pod.ts';
import { safeToEvictPod } from './filters/safe-to-evict-pod.ts';
import { terminatingPod } from './filters/terminating-pod.ts';

/** The rules in the order in which they are asked; the first one with a verdict decides. Each is a row of docs/drain-rules.md. */
const podFilters: readonly PodFilter[] = [
  mirrorPod,
  daemonSetPod,
  terminatingPod,
  finishedPod,
  removedPod,
  doNotDisruptPod,
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
