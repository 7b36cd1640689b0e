import type { PodFacts } from '../../model/pod.ts';
import { formatTime } from '../../text/format.ts';
import type { PodFilter } from './filter.ts';

/** An annotation that asks not to disrupt a pod. */
interface DoNotDisrupt {
  /** The annotation as it is written. */
  readonly annotation: string;
  /** When it expires: when the pod has run to completion, at that time (epoch ms), or never. */
  readonly until: 'completion' | number | 'never';
}

/**
 * Whether the pod asks not to be disrupted; of several annotations the one that lasts longest. `safe-to-evict` is the cluster autoscaler's
 * (utils/drain/drain.go; `on-completion` simulator/drainability/rules/oncompletion), `do-not-disrupt` is Karpenter's: for ever, or for some
 * time from the pod's start (karpenter pkg/utils/pod/scheduling.go, IsDoNotDisruptActive).
 */
export function findDoNotDisrupt({ safeToEvict, doNotDisrupt }: PodFacts, now: number): DoNotDisrupt | undefined {
  const asks = (value: string, until: DoNotDisrupt['until']): DoNotDisrupt => ({
    annotation: `cluster-autoscaler.kubernetes.io/safe-to-evict: "${value}"`,
    until,
  });
  if (safeToEvict === 'false') return asks('false', 'never');
  if (doNotDisrupt === 'for-good') return { annotation: 'karpenter.sh/do-not-disrupt: "true"', until: 'never' };
  if (safeToEvict === 'on-completion') return asks('on-completion', 'completion');
  if (doNotDisrupt === undefined || doNotDisrupt <= now) return undefined;
  return { annotation: 'karpenter.sh/do-not-disrupt', until: doNotDisrupt };
}

/**
 * Does not disrupt pods that ask for it: an annotation that expires is waited for, one that does not is refused or waited for as the policy
 * says. With `doNotDisrupt: evict` annotations have no effect.
 */
export const doNotDisruptPod: PodFilter = (pod, { drain, now }) => {
  const found = findDoNotDisrupt(pod, now);
  if (found === undefined || drain.doNotDisrupt === 'evict') return undefined;
  const { annotation, until } = found;
  if (until === 'completion') return { outcome: 'complete', reason: `${annotation} asks to let it run to its end` };
  if (until !== 'never')
    return { outcome: 'complete', reason: `${annotation} asks to leave it alone until ${formatTime(until)}` };
  if (drain.doNotDisrupt === 'wait')
    return { outcome: 'complete', reason: `${annotation} asks to leave it alone, and spec.drain.doNotDisrupt waits` };
  return {
    outcome: 'refuse',
    reason: `${annotation} asks to leave it alone; remove the annotation, or delete the pod yourself when its work is done`,
  };
};
