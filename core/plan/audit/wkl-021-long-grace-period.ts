import { formatDuration } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-021: a pod that may take longer to stop than the policy waits for evictions. */
export const wkl021LongGracePeriod: ClusterRule = (question) => {
  const { evictionMs } = question.policy.waits.deadlines;
  return groupByWorkload('WKL-021', podsToMove(question), ({ terminationGracePeriodSeconds }) => {
    const graceMs = terminationGracePeriodSeconds * 1000;
    if (graceMs <= evictionMs) return undefined;
    return {
      severity: 'warning',
      message: `it may take ${formatDuration(graceMs)} to stop; evictions have ${formatDuration(evictionMs)}`,
      hint: 'Raise spec.waits.deadlines.eviction.',
    };
  });
};
