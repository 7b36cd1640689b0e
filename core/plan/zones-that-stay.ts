import type { NodeFacts } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';

/** Nodes that are not drained and take new pods. */
export function nodesThatStay(
  cluster: ClusterFacts,
  policy: Pick<Policy, 'pool' | 'target' | 'selection'>,
): readonly NodeFacts[] {
  const { old } = membersOf(cluster, policy);
  return cluster.nodes.filter((node) => !old.has(node.uid) && !node.cordoned);
}

/** Zones with such a node. */
export function zonesThatStay(...question: Parameters<typeof nodesThatStay>): ReadonlySet<string> {
  return new Set(nodesThatStay(...question).map(({ zone }) => zone));
}
