import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetState } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';

/**
 * A kubelet that is silent for so long, ms, after its node was found unknown does not come back soon: by then Kubernetes gives up the pods
 * there (admission plugin DefaultTolerationSeconds; Kubernetes docs, "Taints and Tolerations", Taint based Evictions).
 */
const silentForMs = 300_000;

/** What a load balancer says of a target that does not answer, or that it does not ask. */
const unanswered: readonly TargetState[] = ['unhealthy', 'unhealthy.draining', 'draining', 'unused'];

/** Epoch ms since when the kubelet has been silent for too long to be waited for; undefined for a node that may be heard again soon. */
export function silentSince(node: NodeFacts | undefined, now: number): number | undefined {
  const since = node?.unknownSince;
  return since !== undefined && now - since >= silentForMs ? since : undefined;
}

/**
 * Epoch ms since when the node is unreachable: its kubelet has been silent for long, and no load balancer gets an answer from it. One that
 * still answers to load balancers runs and has merely lost its way to the API server: what it serves it serves on.
 */
export function unreachableSince(
  node: Pick<NodeRef, 'name' | 'uid' | 'instanceId'>,
  { cluster, targetGroups }: ServingFacts,
  now: number,
): number | undefined {
  const seen = indexOf(cluster).nodes.get(node.name);
  const since = silentSince(seen, now);
  if (seen?.uid !== node.uid || since === undefined) return undefined;
  const answers = targetGroups.some((group) => targetsOf(node, group).some(({ state }) => !unanswered.includes(state)));
  return answers ? undefined : since;
}
