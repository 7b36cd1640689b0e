import type { NodeFacts } from '../model/node.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';

/**
 * Whether a target group is expected to register a node, judging by similar nodes: those in its zone if there are any, or else all of them.
 * A load balancer may not cover the zone (its targets stay `unused`: Elastic Load Balancing API, TargetHealth), and a group may accept only
 * nodes of other pools (annotation aws-load-balancer-target-node-labels, nodeSelector of a TargetGroupBinding). Excluded nodes say nothing
 * about that. Without similar nodes the answer is yes if the load balancer covers the zone.
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
