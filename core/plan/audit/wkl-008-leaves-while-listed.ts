import { decideDrain } from '../../drain/decide-drain.ts';
import { findLeavesListed, type LeavesListed } from '../../drain/unlist.ts';
import type { PodFacts } from '../../model/pod.ts';
import { formatDuration, listNames } from '../../text/format.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/**
 * WKL-008: pods that can't be unlisted and stop at once. A StatefulSet of the lab lost 8 and 9 requests in two runs, to callers inside
 * the cluster and over other nodes.
 */
export const wkl008LeavesWhileListed: AuditRule = (question) => {
  const { policy, facts } = question;
  const found = new Map<string, { pod: PodFacts; leaves: LeavesListed }>();
  for (const pod of podsToMove(question)) {
    const leaves = findLeavesListed(pod, facts.cluster, policy);
    if (leaves === undefined || decideDrain(pod, policy.drain).outcome !== 'evict') continue;
    found.set(ownerOf(pod), { pod, leaves });
  }
  const needed = formatDuration(policy.waits.endpointPropagationMs);
  return [...found].map(([subject, { pod, leaves }]) => ({
    rule: 'WKL-008',
    severity: 'warning',
    subject,
    message:
      `its pods are told to stop while ${listNames(leaves.services)} still lists them, because ${leaves.why}; ` +
      (pod.preStopSeconds === 0
        ? 'they have no preStop sleep'
        : `their preStop sleep of ${pod.preStopSeconds} s is too short`),
    hint: `Give them a preStop sleep of at least ${needed}: they then serve on until every kube-proxy has heard.`,
    leavesUnprotected: true,
  }));
};

function ownerOf(pod: PodFacts): string {
  const owner = pod.ownerName === '' ? pod.name : pod.ownerName;
  const kind =
    pod.ownerKind === 'none' ? 'pod' : pod.ownerKind === 'other' ? 'controller' : pod.ownerKind.toLowerCase();
  return `${kind} ${pod.namespace}/${owner}`;
}
