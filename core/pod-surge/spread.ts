import { indexOf } from '../model/cluster-index.ts';
import { hostnameLabel, zoneLabel } from '../model/labels.ts';
import { isActive, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** The topology key of a spread constraint, other than over hosts, that counts released pods. Undefined when the pod has none. */
export function evenBy({ spreads = [] }: PodFacts): string | undefined {
  return spreads.find(({ topologyKey, countsReleased }) => countsReleased && topologyKey !== hostnameLabel)
    ?.topologyKey;
}

/** The domain of a pod for a topology key. Empty while the pod has no node. */
export function domainOf({ node = '' }: PodFacts, key: string, cluster: ClusterFacts): string {
  const host = indexOf(cluster).nodes.get(node);
  return (key === zoneLabel ? host?.zone : host?.labels[key]) ?? '';
}

/** The domains that have pods of the workload, including released ones. */
export function domainsOf(workload: WorkloadFacts, key: string, cluster: ClusterFacts): readonly string[] {
  const pods = indexOf(cluster)
    .podsMadeBy(workload.key)
    .filter((pod) => isActive(pod) && pod.node !== undefined);
  return [...new Set(pods.map((pod) => domainOf(pod, key, cluster)))].toSorted();
}
