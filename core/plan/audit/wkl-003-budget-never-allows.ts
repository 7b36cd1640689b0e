import { classifyPod } from '../../eviction/classify-pod.ts';
import { hintToSpare } from '../../eviction/explain-budget.ts';
import type { PodVerdict } from '../../eviction/filters/filter.ts';
import { indexOf } from '../../model/cluster-index.ts';
import type { DisruptionBudgetFacts } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import { type ClusterRule, filterContext, podsToMove } from './rule.ts';

/**
 * WKL-003: a budget that requires every pod never allows an eviction. The run would wait there until the deadline and then stall. A budget that
 * allows none only now, because pods of it are not healthy, does so again by itself.
 */
export const wkl003BudgetNeverAllows: ClusterRule = (question) => {
  const { facts, surged } = question;
  const after = new Map(surged.cluster.budgets.map((budget) => [keyOf(budget), budget.podUids.length]));
  const strict = facts.cluster.budgets.filter((budget) => {
    const replacements = (after.get(keyOf(budget)) ?? 0) - budget.podUids.length;
    return budget.expectedPods > 0 && demandsAll(budget, Math.max(0, replacements), facts.cluster);
  });
  if (strict.length === 0) return [];
  const context = filterContext(question);
  const evicted = podsToMove(question).filter((pod) => evicting.includes(classifyPod(pod, context).outcome));
  return strict
    .filter(({ podUids, evictsUnready }) => {
      const covered = new Set(podUids);
      return evicted.some(({ uid, ready }) => covered.has(uid) && (ready || evictsUnready !== true));
    })
    .map((budget) => ({
      rule: 'WKL-003',
      severity: 'blocker',
      subject: `pdb ${budget.namespace}/${budget.name}`,
      message: `it demands ${budget.desiredHealthy} of ${budget.expectedPods} pods: none may be evicted`,
      hint: hintToSpare(budget.demand),
    }));
};

/** Verdicts on pods that have to be evicted, now or once the operator has decided about them. */
const evicting: readonly PodVerdict['outcome'][] = ['evict', 'refuse'];

/**
 * Whether it demands all pods, also those that it does not count at the moment: `minAvailable` as a number counts the pods that exist (kubernetes
 * pkg/controller/disruption/disruption.go, getExpectedPodCount), and a pod that is being replaced may not.
 */
function demandsAll(budget: DisruptionBudgetFacts, replacements: number, cluster: ClusterFacts): boolean {
  const { desiredHealthy, expectedPods } = budget;
  return desiredHealthy >= Math.max(expectedPods, replicasOf(budget, cluster)) + replacements;
}

/** How many pods the workloads of a budget want, as far as they are known. */
function replicasOf(budget: DisruptionBudgetFacts, cluster: ClusterFacts): number {
  const index = indexOf(cluster);
  const workloads = new Set(index.podsOfBudget(budget).flatMap(({ workload = '' }) => index.workload(workload) ?? []));
  return [...workloads].reduce((sum, { replicas }) => sum + replicas, 0);
}

function keyOf({ namespace, name }: DisruptionBudgetFacts): string {
  return `${namespace}/${name}`;
}
