import type { ClusterRule } from './rule.ts';
import { servicesWithoutBudget } from './without-budget.ts';

/** WKL-002: without a PodDisruptionBudget others may evict the same Service's pods at the same time. */
export const wkl002NoBudget: ClusterRule = (question) =>
  servicesWithoutBudget(question).map(({ plan, service, groups, coveredWith }) => ({
    rule: 'WKL-002',
    severity: 'warning',
    subject: `service ${service.key}`,
    message:
      groups.length === 0
        ? 'no PodDisruptionBudget covers its pods'
        : `no PodDisruptionBudget covers its pods; the minimum serving is ${plan.minServing.targets} (${plan.minServing.source})`,
    hint:
      coveredWith === undefined
        ? 'Add a PodDisruptionBudget: other tools respect it too.'
        : `A PodDisruptionBudget for the pods of Service ${coveredWith} covers pods of this one too. Don't add a second one for them: a pod of two budgets cannot be evicted.`,
  }));
