import { findDoNotDisrupt } from '../../eviction/filters/do-not-disrupt-pod.ts';
import { isNodeBound } from '../../eviction/node-bound.ts';
import { formatDuration } from '../../text/format.ts';
import { groupByWorkload, type PodFinding } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-025: pods with annotations that ask not to disrupt them (safe-to-evict, do-not-disrupt). */
export const wkl025DoNotDisrupt: ClusterRule = (question) => {
  const { drain, waits } = question.policy;
  const atMost = formatDuration(waits.deadlines.jobCompletionMs);
  return groupByWorkload('WKL-025', podsToMove(question), (pod): PodFinding | undefined => {
    const request = findDoNotDisrupt(pod, question.facts.observedAt);
    if (request === undefined) return undefined;
    const asks = `${request.annotation} asks to leave it alone`;
    if (isNodeBound(pod))
      return {
        severity: 'warning',
        message: `${asks}, and it ends with its node`,
        hint: 'A pod that belongs to its node cannot outlive it: remove the annotation, or exempt the pool.',
      };
    if (drain.doNotDisrupt === 'evict')
      return {
        severity: 'warning',
        message: `${asks}, and the run evicts it in spite of that (spec.drain.doNotDisrupt)`,
        hint: 'Leave spec.drain.doNotDisrupt out to have the annotation respected.',
      };
    if (drain.doNotDisrupt === 'wait' || request.until !== 'never')
      return {
        severity: 'warning',
        message: `${asks}: the run waits until that is over, at most ${atMost}, with the node out of its load balancers`,
        hint: 'Start the run when its work is done, or give it more time in spec.waits.deadlines.jobCompletion.',
      };
    return {
      severity: 'blocker',
      message: asks,
      hint: 'Remove the annotation, or say in spec.drain.doNotDisrupt whether the run should wait or evict.',
    };
  });
};
