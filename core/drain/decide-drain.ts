import type { PodFacts } from '../model/pod.ts';
import type { DrainPolicy } from '../policy/policy.ts';
import { barePod } from './rules/bare-pod.ts';
import { daemonSetPod } from './rules/daemonset-pod.ts';
import { emptyDirPod } from './rules/empty-dir-pod.ts';
import { finishedPod } from './rules/finished-pod.ts';
import { mirrorPod } from './rules/mirror-pod.ts';
import type { DrainDecision, DrainRule } from './rules/rule.ts';
import { terminatingPod } from './rules/terminating-pod.ts';
import { unlistedPod } from './rules/unlisted-pod.ts';

/** The rules in the order in which they are asked; the first that answers decides. */
const drainRules: readonly DrainRule[] = [
  mirrorPod,
  terminatingPod,
  finishedPod,
  unlistedPod,
  daemonSetPod,
  barePod,
  emptyDirPod,
];

/** Decides what becomes of one pod of a node that is drained. */
export function decideDrain(pod: PodFacts, drain: DrainPolicy): DrainDecision {
  for (const rule of drainRules) {
    const decision = rule(pod, drain);
    if (decision !== undefined) return decision;
  }
  return { outcome: 'evict', reason: 'its controller starts it elsewhere' };
}
