import { classifyPod } from '../../eviction/classify-pod.ts';
import { findEvictedWhileTarget } from '../../eviction/endpoint-removal.ts';
import { preStopOf } from '../../model/pre-stop.ts';
import { formatDuration, listNames } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, filterContext, podsToMove } from './rule.ts';

/**
 * WKL-034: pods that are targets of load balancers and can't be removed from endpoints first. They are deregistered only once they were told to stop,
 * and have to serve on for as long as that takes. The run is refused if they do not, unless the policy accepts that for their Services.
 */
export const wkl034EvictedWhileTarget: ClusterRule = (question) => {
  const { facts, policy } = question;
  const context = filterContext(question);
  return groupByWorkload('WKL-034', podsToMove(question), (pod) => {
    const sent = findEvictedWhileTarget(pod, facts.cluster, policy);
    if (sent === undefined || classifyPod(pod, context).outcome !== 'evict') return undefined;
    const { groups, services, isAccepted, why, preStopMs, graceMs } = sent;
    const has = `a preStop sleep of ${preStopOf(pod)} s and a grace period of ${pod.terminationGracePeriodSeconds} s`;
    return {
      severity: isAccepted ? 'error' : 'blocker',
      message: `told to stop while ${listNames(groups)} sends to it, because ${why}; it has ${has}, and needs ${formatDuration(preStopMs)} and ${formatDuration(graceMs)}`,
      hint: `Give it that preStop sleep and grace period. Or list ${listNames(services)} in spec.guard.acceptUnprotected: connections may be lost then.`,
      leavesUnprotected: true,
      ...(sent.isDenied ? { denied: true as const } : {}),
      ...(isAccepted ? {} : { acceptableFor: services }),
    };
  });
};
