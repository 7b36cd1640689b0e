import { indexOf } from './cluster-index.ts';
import type { NodeFacts, NodeRef } from './node.ts';
import type { ClusterFacts } from './serving.ts';

/**
 * The node that has the name of one that is gone: nothing of it has been excluded, and its pods and targets are its own. A managed instance group creates
 * a VM again under the same name, after a preemption or to repair it, and its Node object is a new one (kubernetes/cloud-provider-gcp,
 * cmd/gcp-controller-manager/node_csr_approver.go, ensureNodeMatchesMetadataOrDelete). EC2 gives an address again, after which nodes are named. And a
 * kubelet registers its instance anew when somebody has deleted the Node object.
 */
export function findSuccessor(
  { name, uid }: Pick<NodeRef, 'name' | 'uid'>,
  cluster: ClusterFacts,
): NodeFacts | undefined {
  const seen = indexOf(cluster).nodes.get(name);
  return seen?.uid === uid ? undefined : seen;
}

/** Says that a node is gone although one of its name is there, as text. */
export function explainSuccessor({ name }: Pick<NodeRef, 'name'>): string {
  return `${name} is gone: another node has its name`;
}
