import { indexOf } from '../model/cluster-index.ts';
import { hostnameLabel } from '../model/labels.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PodFacts, SpreadFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { takesPod } from '../model/takes-pod.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { workloadOf } from './surge-limit.ts';

/** A workload that wants more pods than fit while the emptied nodes exist. */
interface Crowded {
  readonly workload: WorkloadFacts;
  /** Pods that it wants and that have a node. A pod that was unschedulable before does not count. */
  readonly pods: number;
  readonly spread: SpreadFacts;
  /** Pods that fit. */
  readonly fit: number;
}

/**
 * Whether a pod belongs to a workload that cannot move because of its required spread over hosts. A cordoned node is a domain like any other
 * unless the constraint honours taints. Once it is empty, the smallest domain has no pod, and no node gets more than `maxSkew`. The last
 * nodes then wait for pods that cannot be scheduled until the Node objects of the empty nodes are deleted (kubernetes/kubernetes,
 * pkg/scheduler/framework/plugins/podtopologyspread/common.go, matchNodeInclusionPolicies). Undefined when all fit.
 */
export function findCrowded(pod: PodFacts, cluster: ClusterFacts, policy: Policy): Crowded | undefined {
  const workload = workloadOf(pod, cluster);
  const spread = (pod.spreads ?? [])
    .filter(
      ({ topologyKey, isRequired, countsCordoned }) => topologyKey === hostnameLabel && isRequired && countsCordoned,
    )
    .toSorted((a, b) => a.maxSkew - b.maxSkew)[0];
  if (workload === undefined || spread === undefined) return undefined;
  const fit = spread.maxSkew * countPlaces(pod, cluster, policy);
  const placed = indexOf(cluster)
    .podsOfWorkload(workload.key)
    .filter(({ node, terminating }) => node !== undefined && !terminating);
  const pods = Math.min(workload.replicas, placed.length);
  return pods <= fit ? undefined : { workload, pods, spread, fit };
}

/** The number of nodes that can run the pod in the end: a new one for each leaving node (unless it is drained), and suitable nodes of other pools. */
function countPlaces(pod: PodFacts, cluster: ClusterFacts, policy: Policy): number {
  const members = membersOf(cluster, policy);
  const takesPart = ({ uid }: NodeFacts) => members.old.has(uid) || members.new.has(uid);
  const others = cluster.nodes.filter((node) => !takesPart(node) && !node.cordoned && takesPod(node, pod));
  const inPlace = policy.selection === undefined ? Math.max(members.new.size, members.old.size) : 0;
  return others.length + inPlace;
}
