import { indexOf } from '../model/cluster-index.ts';
import { isExcludedFrom } from '../model/excluded-from.ts';
import type { NodeFacts } from '../model/node.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { membershipOf, type TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';

/**
 * Whether a target group is expected to register a node, judging by similar nodes: those in its zone if there are any, or else all of them.
 * A load balancer may not cover the zone (its targets stay `unused`: Elastic Load Balancing API, TargetHealth), and a group may accept only
 * nodes of other pools (annotation aws-load-balancer-target-node-labels, nodeSelector of a TargetGroupBinding). Excluded nodes say nothing
 * about that. Without similar nodes the answer is yes if the load balancer covers the zone.
 *
 * A group whose targets are only the nodes that host an endpoint is expected to register those with a ready one, and only they are similar. No
 * particular node is expected in a group that draws its targets, and none in one of pods.
 */
export function takesNode(
  node: NodeFacts,
  group: TargetGroupFacts,
  peers: readonly NodeFacts[],
  cluster: ClusterFacts,
): boolean {
  const membership = membershipOf(group);
  if (membership === 'subset' || membership === 'pods') return false;
  const mayBeIn = membership === 'all-nodes' ? () => true : hostsOf(group, cluster);
  if (!mayBeIn(node)) return false;
  const others = peers.filter((peer) => peer.uid !== node.uid && !isExcludedFrom(peer, group) && mayBeIn(peer));
  const near = others.filter(({ zone }) => zone === node.zone);
  if (near.length > 0) return near.some((peer) => isTaken(peer, group));
  if (!group.zones.includes(node.zone)) return false;
  return others.length === 0 || others.some((peer) => isTaken(peer, group));
}

function hostsOf(group: TargetGroupFacts, cluster: ClusterFacts): (node: NodeFacts) => boolean {
  const service = indexOf(cluster).service(group.service);
  const hosts = new Set(service === undefined ? [] : readyEndpoints(service, cluster).map(({ node }) => node));
  return ({ name }) => hosts.has(name);
}

/** A similar node that drains although it is included will be back. */
function isTaken(node: NodeFacts, group: TargetGroupFacts): boolean {
  const returns = group.returnsAfterDrain === true;
  return targetsOf(node, group).some(({ state }) => state !== 'unused' && (state !== 'draining' || returns));
}
