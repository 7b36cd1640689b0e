import { isNodeBound } from '../../eviction/node-bound.ts';
import { intolerantHint, toleratesCordon } from '../../eviction/tolerates-cordon.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/**
 * WKL-030: pods that a cordon does not keep away. Their replacements may be scheduled to nodes that are leaving, even to the same node, again and
 * again.
 */
export const wkl030ToleratesCordon: ClusterRule = (question) =>
  groupByWorkload('WKL-030', podsToMove(question), (pod) => {
    if (isNodeBound(pod) || pod.ownerKind === 'none' || !toleratesCordon(pod)) return undefined;
    return {
      severity: 'warning',
      message:
        'it tolerates the taint of cordoned nodes: once evicted it may come back to the same node, again and again',
      hint: intolerantHint,
    };
  });
