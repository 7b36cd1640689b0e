import type { NodeFacts, NodeRef } from '../../../core/model/node.ts';
import type { PodFacts, PodRef } from '../../../core/model/pod.ts';
import type { Cluster } from '../../../ports/cluster/cluster.ts';

/** Label that takes a node out of load balancers (kubernetes.io well-known labels). */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** A cluster behind the port, and what others do in it. What came of a call is asked through the port itself. */
export interface ClusterSubject {
  readonly one: Cluster;
  /** The same cluster, as another worker has it. */
  readonly other: Cluster;
  readonly others: Others;
}

/** What kubelets, controllers and people do in the cluster. */
interface Others {
  addNode(name: string, as?: Partial<NodeState>): Promise<NodeRef>;
  changeNode(name: string, to: Partial<NodeState>): Promise<void>;
  removeNode(name: string): Promise<void>;
  /** A Ready pod of nobody, on a node that stays. */
  addPod(name: string, labels: Readonly<Record<string, string>>): Promise<PodRef>;
  labelPod(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  /** A budget over the pods with label `app`, which its controller has heard of. */
  addBudget(name: string, minAvailable: number, app: string): Promise<void>;
  /** The lock's holder has not renewed it for far too long. */
  expireLock(name: string): Promise<void>;
}

/** What others may say of a node; labels that are null are removed. */
export interface NodeState {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly cordoned: boolean;
  /** Keys of taints with effect NoSchedule. */
  readonly taints: readonly string[];
}

/** The node of that name, as observed now. */
export async function seeNode({ one }: ClusterSubject, name: string): Promise<NodeFacts> {
  const found = (await one.observe()).nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
}

/** The pod of that name, as observed now; undefined when it is gone. */
export async function seePod({ one }: ClusterSubject, name: string): Promise<PodFacts | undefined> {
  return (await one.observe()).pods.find((pod) => pod.name === name);
}

/** Pods that the run has removed from endpoints, on any node. */
export async function findRemovedFromEndpoints({ one }: ClusterSubject, run: string): Promise<readonly PodFacts[]> {
  return (await one.observe()).pods.filter(({ endpointsRemoved }) => endpointsRemoved?.by === run);
}
