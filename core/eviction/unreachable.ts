import { silentSince } from '../guard/unreachable.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { Problem } from '../model/problem.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { count, formatTime, listNames } from '../text/format.ts';

/**
 * If two or more nodes, and at least this share, fall silent together, they have lost the network to the API server rather than their power.
 * The node lifecycle controller and Karpenter's node repair stop at such shares too (kube-controller-manager `--unhealthy-zone-threshold`,
 * 55 % of a zone; Karpenter docs, "Node Auto Repair", 20 % of a pool).
 */
const suspiciousShare = 0.2;

/**
 * Whether a run terminates the instance of a silent node without asking: the policy says so, or the node is of the new pool, whose nodes
 * leave only when a run rolls back and removes what it has created itself. Never where many nodes are silent.
 */
export function endsUnasked(node: NodeFacts | undefined, cluster: ClusterFacts, policy: Policy, now: number): boolean {
  if (silentSince(node, now) === undefined) return false;
  if (policy.drain.unreachableNodes !== 'terminate' && !membersOf(cluster, policy).new.has(node?.uid ?? ''))
    return false;
  const silent = cluster.nodes.filter(({ unknownSince }) => unknownSince !== undefined).length;
  return silent < 2 || silent < suspiciousShare * cluster.nodes.length;
}

/** How an operator terminates exactly that instance, as its provider says. */
type TerminateByHand = (node: Pick<NodeRef, 'name' | 'instanceId' | 'zone'>) => string;

/** A node that nothing is heard from, and that the cloud does not report as ending. */
interface UnreachableNode {
  readonly node: NodeRef;
  readonly since: number;
  /** Of its instance. */
  readonly state: 'running' | 'stopped';
  /** Those that can't terminate. */
  readonly pods: readonly PodFacts[];
}

/** The question to an operator about an unreachable node whose pods can't terminate. */
export function askAboutUnreachable(
  { node, since, state, pods }: UnreachableNode,
  terminateByHand: TerminateByHand,
): Problem {
  const names = pods.map(({ namespace, name }) => `${namespace}/${name}`);
  return {
    code: 'NodeUnreachable',
    message:
      `${node.name} is unreachable: its kubelet has not been heard from since ${formatTime(since)}, no load balancer gets an answer from it, ` +
      `and the cloud reports ${node.instanceId} as ${state}; ${count(pods.length, 'pod')} there can't terminate (${listNames(names)}). ` +
      'The run continues with other nodes',
    hint: `${state === 'stopped' ? 'Start the instance again, or terminate it' : 'If the instance is lost, terminate it'}: ${terminateByHand(node)}. The run continues by itself when it has ended, or when its kubelet is heard from again.`,
  };
}

/** Pods that a run has told to stop and that can't terminate, because their kubelet is silent: the state of each, and the remedy. */
export function explainStuckPods(
  cluster: ClusterFacts,
  run: string,
  terminateByHand: TerminateByHand,
): readonly string[] {
  const { nodes } = indexOf(cluster);
  return cluster.pods.flatMap((pod) => {
    const node = nodes.get(pod.node ?? '');
    const isOurs = pod.endpointsRemoved?.by === run || pod.released?.by === run;
    if (!isOurs || !pod.terminating || node?.unknownSince === undefined) return [];
    return [
      `pod ${pod.namespace}/${pod.name} was told to stop and can't terminate: the kubelet of ${node.name} has not been heard from since ` +
        `${formatTime(node.unknownSince)}; if the instance is lost, terminate it: ${terminateByHand(node)}`,
    ];
  });
}
