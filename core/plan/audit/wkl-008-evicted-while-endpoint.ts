import { classifyPod } from '../../eviction/classify-pod.ts';
import { findEvictedWhileEndpoint } from '../../eviction/endpoint-removal.ts';
import { preStopOf } from '../../model/pre-stop.ts';
import { formatDuration, listNames } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, filterContext, podsToMove } from './rule.ts';

/**
 * WKL-008: pods that cannot be removed from endpoints and stop at once. A StatefulSet of the lab lost 8 and 9 requests in two runs, from callers
 * inside the cluster and through other nodes.
 */
export const wkl008LeavesWhileListed: ClusterRule = (question) => {
  const { policy, facts } = question;
  const context = filterContext(question);
  const needed = formatDuration(policy.waits.endpointPropagationMs);
  return groupByWorkload('WKL-008', podsToMove(question), (pod) => {
    const leaves = findEvictedWhileEndpoint(pod, facts.cluster, policy);
    if (leaves === undefined || classifyPod(pod, context).outcome !== 'evict') return undefined;
    const slept = preStopOf(pod);
    if (slept * 1000 >= policy.waits.endpointPropagationMs) return undefined;
    const sleeps = slept === 0 ? 'no preStop sleep' : `a preStop sleep of only ${slept} s`;
    return {
      severity: 'warning',
      message: `told to stop while ${listNames(leaves.services)} lists it, because ${leaves.why}; it has ${sleeps}`,
      hint: `Give it a preStop sleep of at least ${needed}: it then serves on until every kube-proxy has heard.`,
      leavesUnprotected: true,
      ...(leaves.isDenied ? { denied: true as const } : {}),
    };
  });
};
