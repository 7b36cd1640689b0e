/** What the spec of a PodDisruptionBudget demands. */
export interface BudgetDemand {
  readonly field: 'minAvailable' | 'maxUnavailable';
  /** Pods, or a percentage of the pods that the budget counts on. */
  readonly amount: number;
  readonly isPercentage: boolean;
}

/**
 * The smallest number of pods of which the budget lets so many (at least one) be missing. Undefined where it lets no number of pods miss so many.
 * Both percentages are rounded up to whole pods: `getExpectedPodCount` in
 * https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/disruption/disruption.go
 */
export function podsToSpare(spared: number, { field, amount, isPercentage }: BudgetDemand): number | undefined {
  if (field === 'minAvailable') {
    if (!isPercentage) return amount + spared;
    return amount >= 100 ? undefined : Math.ceil((100 * spared) / (100 - amount));
  }
  if (amount === 0 || (!isPercentage && amount < spared)) return undefined;
  return isPercentage ? Math.floor((100 * (spared - 1)) / amount) + 1 : spared;
}

/** Ends a sentence that says to let a budget spare so many pods: with how many pods it would do so as it is, or that no number is enough. */
export function endWithPods(spared: number, demand: BudgetDemand | undefined): string {
  if (demand === undefined) return '.';
  const because = `its ${demand.field} is ${demand.amount}${demand.isPercentage ? '%' : ''}`;
  const pods = podsToSpare(spared, demand);
  return pods === undefined
    ? `. More of its pods do not help: ${because}.`
    : `, or run at least ${pods} of its pods: ${because}.`;
}
