import { hintToSpare } from '../../eviction/explain-budget.ts';
import type { DisruptionBudgetFacts } from '../../model/pod.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-003: a budget that requires every pod never allows an eviction. The run would wait there until the deadline and then stall. */
export const wkl003BudgetNeverAllows: ClusterRule = (question) => {
  const { facts, surged } = question;
  const after = new Map(surged.cluster.budgets.map((budget) => [keyOf(budget), budget.podUids.length]));
  const strict = facts.cluster.budgets.filter((budget) => {
    const replacements = (after.get(keyOf(budget)) ?? 0) - budget.podUids.length;
    return budget.expectedPods > 0 && budget.desiredHealthy >= budget.expectedPods + Math.max(0, replacements);
  });
  if (strict.length === 0) return [];
  const moving = new Set(podsToMove(question).map((pod) => pod.uid));
  return strict
    .filter((budget) => budget.podUids.some((uid) => moving.has(uid)))
    .map((budget) => ({
      rule: 'WKL-003',
      severity: 'error',
      subject: `pdb ${budget.namespace}/${budget.name}`,
      message: `it demands ${budget.desiredHealthy} of ${budget.expectedPods} pods: none may be evicted`,
      hint: hintToSpare(budget.demand),
    }));
};

function keyOf({ namespace, name }: DisruptionBudgetFacts): string {
  return `${namespace}/${name}`;
}
