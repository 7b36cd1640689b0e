import { toleratesRetiring } from '../../drain/retirement.ts';
import { servicesOf } from '../../drain/services-of-pod.ts';
import { staysWithNode } from '../../drain/stays-with-node.ts';
import type { PodFacts } from '../../model/pod.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/** WKL-016: endpoints that eviction does not move; those that even the retiring taint can't move end with their machine. */
export const wkl016NotEvictableEndpoint: AuditRule = (question) => {
  const pods = podsToMove(question).filter(
    (pod) => staysWithNode(pod) && servicesOf(pod, question.facts.cluster).length > 0,
  );
  const owners = new Map(pods.map((pod) => [`${pod.namespace}/${pod.ownerName || pod.name}`, pod]));
  return [...owners.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([owner, pod]) => describe(owner, pod));
};

function describe(owner: string, pod: PodFacts): ReturnType<AuditRule>[number] {
  const stays = pod.mirror || toleratesRetiring(pod.tolerations);
  return {
    rule: 'WKL-016',
    severity: stays ? 'warning' : 'info',
    subject: `${pod.mirror ? 'static pod' : 'daemonset'} ${owner}`,
    message: stays
      ? 'its pods are endpoints that stay until their machine ends'
      : 'its pods are endpoints; they are retired before their machine ends',
    hint: stays ? 'Let it not tolerate every taint, so that its endpoints can be retired.' : 'Nothing to do.',
    ...(stays ? { leavesUnprotected: true } : {}),
  };
}
