import { indexOf } from '../model/cluster-index.ts';
import { hostnameLabel, zoneLabel } from '../model/labels.ts';
import { isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** The label of nodes over whose values the pod is spread so that released pods count; undefined where they don't, or hosts alone matter. */
export function evenBy({ spreads = [] }: PodFacts): string | undefined {
  return spreads.find(({ topologyKey, countsReleased }) => countsReleased && topologyKey !== hostnameLabel)
    ?.topologyKey;
}

/** Where a pod is by that label; empty while it has no node. */
export function domainOf({ node = '' }: PodFacts, key: string, cluster: ClusterFacts): string {
  const host = indexOf(cluster).nodes.get(node);
  return (key === zoneLabel ? host?.zone : host?.labels[key]) ?? '';
}

/** Where pods of the workload are, those included that have been released from it. */
export function domainsOf(workload: WorkloadFacts, key: string, cluster: ClusterFacts): readonly string[] {
  const pods = indexOf(cluster)
    .podsMadeBy(workload.key)
    .filter((pod) => !pod.terminating && !isFinished(pod) && pod.node !== undefined);
  return [...new Set(pods.map((pod) => domainOf(pod, key, cluster)))].toSorted();
}
