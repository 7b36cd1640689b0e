import type { NodeFacts } from '../model/node.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from './load-balancers.ts';

/**
 * Whether a target group takes a node, going by nodes that are like it: those of its zone where there are some, or else all of them. A load
 * balancer may not cover the zone (its targets are `unused`, for good: Elastic Load Balancing API, TargetHealth), and a group may take the
 * nodes of other pools only (annotation aws-load-balancer-target-node-labels, nodeSelector of a TargetGroupBinding). Nodes that are
 * excluded tell nothing. With none to go by it is taken to be so, where the load balancer covers the zone.
 */
export function takesNode(node: NodeFacts, group: TargetGroupFacts, peers: readonly NodeFacts[]): boolean {
  const others = peers.filter((peer) => peer.uid !== node.uid && !peer.excluded);
  const near = others.filter(({ zone }) => zone === node.zone);
  if (near.length > 0) return near.some((peer) => isTaken(peer, group));
  if (!group.zones.includes(node.zone)) return false;
  return others.length === 0 || others.some((peer) => isTaken(peer, group));
}

function isTaken(node: NodeFacts, group: TargetGroupFacts): boolean {
  return targetsOf(node, group).some(({ state }) => state !== 'unused' && state !== 'draining');
}
