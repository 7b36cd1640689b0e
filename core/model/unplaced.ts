import { indexOf } from './cluster-index.ts';
import type { ClusterFacts } from './serving.ts';

/**
 * How many replicas of each workload have no node. A quota, a lack of room in the cluster, or an admission webhook prevents them. A run
 * cannot fix that, and so it does not wait for them. Plain data. Workloads whose replicas all have a node are left out.
 */
export type UnplacedPods = Readonly<Record<string, number>>;

/** Counts them in one observation. A pod that has a node and is not ready does not count, because it may become ready. */
export function countUnplaced(cluster: ClusterFacts): UnplacedPods {
  const index = indexOf(cluster);
  const waiting = Map.groupBy(index.podsOn(''), ({ workload = '' }) => workload);
  return Object.fromEntries(
    cluster.workloads.flatMap(({ key, replicas }) => {
      const placed = index.podsOfWorkload(key).length - (waiting.get(key)?.length ?? 0);
      return placed < replicas ? [[key, replicas - placed] as const] : [];
    }),
  );
}
