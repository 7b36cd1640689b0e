import { indexOf } from './cluster-index.ts';
import type { ClusterFacts } from './serving.ts';

/**
 * Pods that workloads want and that have no node, by workload: a quota, the room in the cluster or an admission keeps them away. Nobody who
 * replaces nodes can mend that, so nobody waits for them. Plain data; workloads that lack none are left out.
 */
export type UnplacedPods = Readonly<Record<string, number>>;

/** Counts them as they are now. A pod that is placed and not ready is not one of them: it may be in a moment. */
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
