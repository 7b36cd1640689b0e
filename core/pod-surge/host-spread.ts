import { indexOf } from '../model/cluster-index.ts';
import { hostnameLabel } from '../model/labels.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PodFacts, SpreadFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { Policy } from '../policy/policy.ts';
import { workloadOf } from './surge-limit.ts';

/** A workload of which more pods are wanted than fit while emptied nodes are there. */
export interface Crowded {
  readonly workload: WorkloadFacts;
  /** Pods that it has on nodes, as far as it wants them: one that found no place before is not missed. */
  readonly pods: number;
  readonly spread: SpreadFacts;
  /** Pods that fit. */
  readonly fit: number;
}

/**
 * Whether a pod is of a workload that its required spread over hosts keeps from moving. A cordoned node is a domain like any other unless the
 * constraint honours taints; once it is empty the fewest pods of a domain are none, and no node takes more than `maxSkew`. So the last
 * nodes that are emptied wait for pods which have no place until their Node objects are gone (kubernetes/kubernetes,
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

/** Nodes that may have the pod in the end: a new one for each that goes, and those of others that take it. */
function countPlaces(pod: PodFacts, cluster: ClusterFacts, { pool, target }: Policy): number {
  const count = (name: string) => cluster.nodes.filter((node) => node.pool === name).length;
  const others = cluster.nodes.filter(
    (node) => node.pool !== pool.name && node.pool !== target.poolName && !node.cordoned && takes(node, pod),
  );
  return others.length + Math.max(count(target.poolName), count(pool.name));
}

function takes({ taints, labels }: NodeFacts, { tolerations, requiredNodeLabels = {} }: PodFacts): boolean {
  const isTolerated = taints.every(
    ({ key, effect }) =>
      effect === 'PreferNoSchedule' ||
      tolerations.some((one) => (one.key === undefined || one.key === key) && (one.effect ?? effect) === effect),
  );
  return (
    isTolerated && Object.entries(requiredNodeLabels).every(([label, values]) => values.includes(labels[label] ?? ''))
  );
}
