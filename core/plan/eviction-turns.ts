import { isCritical } from '../drain/priority.ts';
import { staysWithNode } from '../drain/stays-with-node.ts';
import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { type DisruptionBudgetFacts, isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/**
 * How many evictions, one after another, a window of nodes needs because of its PodDisruptionBudgets: each next turn waits until the
 * replacements of the one before are Ready. Pods that the cluster itself needs go after all others. At least 1.
 */
export function evictionTurns(window: readonly NodeRef[], cluster: ClusterFacts): number {
  const index = indexOf(cluster);
  const moving = window.flatMap((node) => index.podsOn(node.name).filter(moves));
  const critical = moving.filter(isCritical);
  if (critical.length === 0) return turnsOf(moving, cluster);
  const plain = moving.filter((pod) => !isCritical(pod));
  return (plain.length === 0 ? 0 : turnsOf(plain, cluster)) + turnsOf(critical, cluster);
}

function moves(pod: PodFacts): boolean {
  return !staysWithNode(pod) && !isFinished(pod);
}

function turnsOf(leaving: readonly PodFacts[], cluster: ClusterFacts): number {
  const moving = new Map<DisruptionBudgetFacts, number>();
  for (const { uid } of leaving) {
    for (const budget of indexOf(cluster).budgetsOf(uid)) moving.set(budget, (moving.get(budget) ?? 0) + 1);
  }
  const turns = [...moving].map(([budget, pods]) =>
    Math.ceil(pods / Math.max(1, countHealthy(cluster).of(budget) - budget.desiredHealthy)),
  );
  return Math.max(1, ...turns);
}

/** Counts the healthy pods of a budget, once for a look. */
const countHealthy = onceFor((cluster: ClusterFacts) => ({
  of: onceFor(
    (budget: DisruptionBudgetFacts) =>
      indexOf(cluster)
        .podsOfBudget(budget)
        .filter((pod) => pod.ready && !pod.terminating).length,
  ),
}));
