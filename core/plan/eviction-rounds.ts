import { isNodeBound } from '../eviction/node-bound.ts';
import { isCritical } from '../eviction/priority.ts';
import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { type DisruptionBudgetFacts, isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/** Pods that leave a node together, and how many of them each budget has. */
interface Leaving {
  readonly pods: number;
  readonly ofBudget: ReadonlyMap<DisruptionBudgetFacts, number>;
}

/**
 * How many rounds of evictions a batch of nodes needs because of its PodDisruptionBudgets: each round waits until the replacements of the one
 * before are Ready. Pods that were surged (by UID) have their replacements already. Pods that the cluster itself needs leave after all others. At
 * least 1.
 */
export function evictionRounds(
  batch: readonly NodeRef[],
  cluster: ClusterFacts,
  surged: ReadonlySet<string> = new Set(),
): number {
  const leaving = batch.map(({ name }) => leavingFrom(cluster)(name));
  const plain = leaving.map((node) => node.plain);
  const critical = leaving.map((node) => node.critical);
  const surplus = countByBudget(surged, cluster);
  return Math.max(1, roundsOf(plain, cluster, surplus) + roundsOf(critical, cluster, surplus));
}

function roundsOf(leaving: readonly Leaving[], cluster: ClusterFacts, surplus: Leaving['ofBudget']): number {
  if (leaving.every(({ pods }) => pods === 0)) return 0;
  const moving = new Map<DisruptionBudgetFacts, number>();
  for (const { ofBudget } of leaving) {
    for (const [budget, pods] of ofBudget) moving.set(budget, (moving.get(budget) ?? 0) + pods);
  }
  const rounds = [...moving].map(([budget, pods]) =>
    Math.ceil(
      pods / Math.max(1, countHealthy(cluster).of(budget) + (surplus.get(budget) ?? 0) - budget.desiredHealthy),
    ),
  );
  return Math.max(1, ...rounds);
}

/** What leaves a node, by its name, counted once for each observation. */
const leavingFrom = onceFor((cluster: ClusterFacts) => {
  const known = new Map<string, { readonly plain: Leaving; readonly critical: Leaving }>();
  return (node: string) => {
    const made = known.get(node) ?? countLeaving(indexOf(cluster).podsOn(node), cluster);
    known.set(node, made);
    return made;
  };
});

function countLeaving(pods: readonly PodFacts[], cluster: ClusterFacts) {
  const moving = pods.filter((pod) => !isNodeBound(pod) && !isFinished(pod));
  const count = (some: readonly PodFacts[]): Leaving => {
    const uids = some.map(({ uid }) => uid);
    return { pods: uids.length, ofBudget: countByBudget(uids, cluster) };
  };
  return { plain: count(moving.filter((pod) => !isCritical(pod))), critical: count(moving.filter(isCritical)) };
}

function countByBudget(uids: Iterable<string>, cluster: ClusterFacts): Leaving['ofBudget'] {
  const counts = new Map<DisruptionBudgetFacts, number>();
  for (const uid of uids) {
    for (const budget of indexOf(cluster).budgetsOf(uid)) counts.set(budget, (counts.get(budget) ?? 0) + 1);
  }
  return counts;
}

/** Counts the healthy pods of a budget, once for each observation. */
const countHealthy = onceFor((cluster: ClusterFacts) => ({
  of: onceFor(
    (budget: DisruptionBudgetFacts) =>
      indexOf(cluster)
        .podsOfBudget(budget)
        .filter((pod) => pod.ready && !pod.terminating).length,
  ),
}));
