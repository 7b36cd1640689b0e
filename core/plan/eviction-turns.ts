import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';

/**
 * How many evictions, one after another, a window of nodes needs because of its PodDisruptionBudgets: each next turn waits until the
 * replacements of the one before are Ready. At least 1.
 */
export function evictionTurns(window: readonly NodeRef[], cluster: ClusterFacts): number {
  const names = new Set(window.map((node) => node.name));
  const pods = indexOf(cluster).podsByUid;
  const turns = cluster.budgets.map((budget) => {
    const matching = budget.podUids.flatMap((uid) => pods.get(uid) ?? []);
    const moving = matching.filter((pod) => pod.node !== undefined && names.has(pod.node)).length;
    const healthy = matching.filter((pod) => pod.ready && !pod.terminating).length;
    return Math.ceil(moving / Math.max(1, healthy - budget.desiredHealthy));
  });
  return Math.max(1, ...turns);
}
