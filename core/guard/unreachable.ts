import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetState } from '../model/target-group.ts';
import { targetsOn } from '../model/targets-of.ts';

/**
 * A kubelet that has been silent for this long, ms, after its node was found Unknown will not recover soon: by then Kubernetes evicts the pods of
 * the node (admission plugin DefaultTolerationSeconds; Kubernetes docs, "Taints and Tolerations", Taint based Evictions).
 */
const silentForMs = 300_000;

/** States of a target that does not answer the load balancer, or that it does not check. */
const unanswered: readonly TargetState[] = ['unhealthy', 'unhealthy.draining', 'draining', 'unused'];

/** Since when (epoch ms) the kubelet has been silent, if for too long to wait for it. Undefined for a node that may recover soon. */
export function silentSince(node: NodeFacts | undefined, now: number): number | undefined {
  const since = node?.unknownSince;
  return since !== undefined && now - since >= silentForMs ? since : undefined;
}

/**
 * Since when (epoch ms) the node is unreachable: its kubelet has been silent for too long, and no load balancer gets an answer from it. A node
 * that still answers load balancers runs and has only lost its connection to the API server: it goes on serving.
 */
export function unreachableSince(
  node: Pick<NodeRef, 'name' | 'uid' | 'instanceId'>,
  { cluster, targetGroups }: ServingFacts,
  now: number,
): number | undefined {
  const seen = indexOf(cluster).nodes.get(node.name);
  const since = silentSince(seen, now);
  if (seen?.uid !== node.uid || since === undefined) return undefined;
  const answers = targetGroups.some((group) =>
    targetsOn(node, group, cluster).some(({ state }) => !unanswered.includes(state)),
  );
  return answers ? undefined : since;
}
