import { isCritical } from '../drain/priority.ts';
import { staysWithNode } from '../drain/stays-with-node.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/**
 * How many evictions, one after another, a window of nodes needs because of its PodDisruptionBudgets: each next turn waits until the
 * replacements of the one before are Ready. Pods that the cluster itself needs go after all others. At least 1.
 */
export function evictionTurns(window: readonly NodeRef[], cluster: ClusterFacts): number {
  const names = new Set(window.map((node) => node.name));
  const moving = cluster.pods.filter((pod) => pod.node !== undefined && names.has(pod.node) && moves(pod));
  const critical = moving.filter(isCritical);
  const plain = moving.filter((pod) => !isCritical(pod));
  if (critical.length === 0) return turnsOf(plain, cluster);
  return plain.length === 0 ? turnsOf(critical, cluster) : turnsOf(plain, cluster) + turnsOf(critical, cluster);
}

function moves(pod: PodFacts): boolean {
  return !staysWithNode(pod) && !isFinished(pod);
}

function turnsOf(leaving: readonly PodFacts[], cluster: ClusterFacts): number {
  const uids = new Set(leaving.map((pod) => pod.uid));
  const pods = indexOf(cluster).podsByUid;
  const turns = cluster.budgets.map((budget) => {
    const matching = budget.podUids.flatMap((uid) => pods.get(uid) ?? []);
    const moving = matching.filter((pod) => uids.has(pod.uid)).length;
    const healthy = matching.filter((pod) => pod.ready && !pod.terminating).length;
    return Math.ceil(moving / Math.max(1, healthy - budget.desiredHealthy));
  });
  return Math.max(1, ...turns);
}
