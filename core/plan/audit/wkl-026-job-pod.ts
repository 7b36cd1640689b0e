import { classifyPod } from '../../eviction/classify-pod.ts';
import { formatDuration } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, filterContext, podsToMove } from './rule.ts';

/**
 * WKL-026: an evicted pod of a Job counts as failed: it counts against backoffLimit unless a podFailurePolicy ignores the condition
 * DisruptionTarget, and the work starts from the beginning (Kubernetes docs, "Handling retriable and non-retriable pod failures with Pod failure
 * policy").
 */
export const wkl026JobPod: ClusterRule = (question) => {
  const context = filterContext(question);
  const atMost = formatDuration(question.policy.waits.deadlines.jobCompletionMs);
  return groupByWorkload('WKL-026', podsToMove(question), (pod) => {
    if (pod.ownerKind !== 'Job') return undefined;
    const { outcome } = classifyPod(pod, context);
    if (outcome === 'complete')
      return {
        severity: 'info',
        message: `the run waits for its end, at most ${atMost}, with the node out of its load balancers`,
        hint: 'Start the run when no long Job runs; spec.waits.deadlines.jobCompletion says how long it waits.',
      };
    if (outcome !== 'evict') return undefined;
    return {
      severity: 'warning',
      message:
        'evicted, its work starts again from the beginning, and that counts against backoffLimit of its Job unless ' +
        'podFailurePolicy ignores DisruptionTarget',
      hint: 'Start the run when no long Job runs, or set spec.drain.jobs to wait.',
    };
  });
};
