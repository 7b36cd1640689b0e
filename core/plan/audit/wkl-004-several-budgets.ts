import { type AuditRule, podSubject, podsToMove } from './rule.ts';

/** WKL-004: the eviction API answers 500 for a pod that several budgets select (kubernetes pkg/registry/core/pod/storage/eviction.go). */
export const wkl004SeveralBudgets: AuditRule = (question) =>
  podsToMove(question).flatMap((pod) => {
    const budgets = question.facts.cluster.budgets.filter((budget) => budget.podUids.includes(pod.uid));
    if (budgets.length < 2) return [];
    return [
      {
        rule: 'WKL-004',
        severity: 'blocker' as const,
        subject: podSubject(pod),
        message: `${budgets.length} budgets select it (${budgets.map((budget) => budget.name).join(', ')}): it can't be evicted`,
        hint: 'Leave one PodDisruptionBudget per pod.',
      },
    ];
  });
