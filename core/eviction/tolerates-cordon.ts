import { indexOf } from '../model/cluster-index.ts';
import { ownerOf, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { listNames } from '../text/format.ts';
import { isNodeBound } from './node-bound.ts';

/** Taint that Kubernetes sets on cordoned nodes (Kubernetes docs, "Taints and Tolerations", Taint nodes by condition). */
const cordonTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** How to keep its pods off cordoned nodes, and move those that are there. */
export const intolerantHint =
  'Have it tolerate only the taints that it must, each by its key (no operator Exists without key); the rollout moves its pods.';

/**
 * Whether a cordon does not keep the pod's successors away: they may come to a node that will leave, even to the one that is being emptied, as
 * often as they are evicted there (kubernetes/kubernetes, pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go).
 */
export function toleratesCordon({ tolerations }: Pick<PodFacts, 'tolerations'>): boolean {
  return tolerations.some(
    ({ key, operator, effect }) =>
      (key === undefined || key === '' ? operator === 'Exists' : key === cordonTaint.key) &&
      (effect === undefined || effect === cordonTaint.effect),
  );
}

/**
 * What unblocks a node that is blocked because pods which tolerate a cordon have gathered on it: more of them would come there too.
 * Undefined where it has none.
 */
export function explainGathered(node: string, facts: ClusterFacts): string | undefined {
  const pods = indexOf(facts)
    .podsOn(node)
    .filter((pod) => !isNodeBound(pod) && !pod.terminating && pod.released === undefined && toleratesCordon(pod));
  if (pods.length === 0) return undefined;
  const owners = [...new Set(pods.map(ownerOf))];
  return `Pods of ${listNames(owners)} on ${node} tolerate the taint of cordoned nodes: more of them may come there too. ${intolerantHint} Then resume.`;
}
