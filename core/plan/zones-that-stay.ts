import type { NodeFacts } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type MemberPolicy, membersOf } from '../policy/members.ts';

/** Nodes that are not drained and take new pods. */
export function nodesThatStay(cluster: ClusterFacts, policy: MemberPolicy): readonly NodeFacts[] {
  const { old } = membersOf(cluster, policy);
  return cluster.nodes.filter((node) => !old.has(node.uid) && !node.cordoned);
}

/** Zones with such a node. */
export function zonesThatStay(cluster: ClusterFacts, policy: MemberPolicy): ReadonlySet<string> {
  return new Set(nodesThatStay(cluster, policy).map(({ zone }) => zone));
}
