import { explainMissed } from '../../eviction/endpoint-removal.ts';
import { toleratesDisruption } from '../../eviction/leftover-endpoints.ts';
import { isNodeBound } from '../../eviction/node-bound.ts';
import { servicesOf } from '../../model/endpoints.ts';
import type { PodFacts } from '../../model/pod.ts';
import { preStopOf } from '../../model/pre-stop.ts';
import { formatDuration } from '../../text/format.ts';
import { type ClusterQuestion, type ClusterRule, podsToMove } from './rule.ts';

/** WKL-016: endpoints that eviction does not move. Those that even the taint `disrupted` cannot remove end with their instance. */
export const wkl016NotEvictableEndpoint: ClusterRule = (question) => {
  const pods = podsToMove(question).filter(
    (pod) => isNodeBound(pod) && servicesOf(pod, question.facts.cluster).length > 0,
  );
  const owners = new Map(pods.map((pod) => [`${pod.namespace}/${pod.ownerName || pod.name}`, pod]));
  return [...owners.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([owner, pod]) => describe(owner, pod, question));
};

function describe(owner: string, pod: PodFacts, { facts, policy }: ClusterQuestion): ReturnType<ClusterRule>[number] {
  const stays = pod.mirror || toleratesDisruption(pod.tolerations);
  const missed = explainMissed(pod, facts.cluster);
  const isPatient = preStopOf(pod) * 1000 >= policy.waits.endpointPropagationMs;
  if (!stays && missed !== undefined && !isPatient)
    return {
      rule: 'WKL-016',
      severity: 'warning',
      subject: `daemonset ${owner}`,
      message: `its pods are endpoints that are told to stop while callers are sent there, because ${missed}`,
      hint: `Give it a preStop sleep of at least ${formatDuration(policy.waits.endpointPropagationMs)}: it then serves on until every kube-proxy has heard.`,
      leavesUnprotected: true,
    };
  return {
    rule: 'WKL-016',
    severity: stays ? 'warning' : 'info',
    subject: `${pod.mirror ? 'static pod' : 'daemonset'} ${owner}`,
    message: stays
      ? 'its pods are endpoints that stay until their instance ends'
      : 'its pods are endpoints; they are removed before their instance ends',
    hint: stays ? 'Do not let it tolerate every taint, so that its endpoints can be removed.' : 'Nothing to do.',
    ...(stays ? { leavesUnprotected: true } : {}),
  };
}
