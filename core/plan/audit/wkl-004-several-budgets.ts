import { isNodeBound } from '../../eviction/node-bound.ts';
import { indexOf } from '../../model/cluster-index.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-004: the eviction API answers 500 for a pod that several budgets select (kubernetes pkg/registry/core/pod/storage/eviction.go). */
export const wkl004SeveralBudgets: ClusterRule = (question) => {
  const index = indexOf(question.facts.cluster);
  const evicted = podsToMove(question).filter((pod) => !isNodeBound(pod));
  return groupByWorkload('WKL-004', evicted, (pod) => {
    const budgets = index.budgetsOf(pod.uid).map(({ name }) => name);
    if (budgets.length < 2) return undefined;
    return {
      severity: 'blocker',
      message: `${budgets.length} budgets select it (${budgets.join(', ')}): it can't be evicted`,
      hint: 'Leave one PodDisruptionBudget per pod.',
    };
  });
};
