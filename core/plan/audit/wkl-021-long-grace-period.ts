import { formatDuration } from '../../text/format.ts';
import { type AuditRule, podSubject, podsToMove } from './rule.ts';

/** WKL-021: a pod that may take longer to stop than the policy waits for evictions. */
export const wkl021LongGracePeriod: AuditRule = (question) =>
  podsToMove(question)
    .filter((pod) => pod.terminationGracePeriodSeconds * 1000 > question.policy.waits.deadlines.evictionMs)
    .map((pod) => ({
      rule: 'WKL-021',
      severity: 'warning',
      subject: podSubject(pod),
      message: `it may take ${formatDuration(pod.terminationGracePeriodSeconds * 1000)} to stop; evictions have ${formatDuration(question.policy.waits.deadlines.evictionMs)}`,
      hint: 'Raise spec.waits.deadlines.eviction.',
    }));
