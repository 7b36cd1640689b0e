import { type BudgetDemand, endWithPods } from '../model/budget-demand.ts';
import type { DisruptionBudgetFacts } from '../model/pod.ts';
import { count } from '../text/format.ts';
import type { BlockedPod } from './actions.ts';

/** The counts of a budget: pods that must stay healthy, that are healthy, and that it counts on; and what its spec demands. */
interface BudgetCounts {
  readonly needs: number | undefined;
  readonly has: number | undefined;
  readonly expects?: number;
  readonly demand?: BudgetDemand;
}

/** What a budget says of a pod that it blocks, after its name, and what ends that. */
interface BudgetBlock {
  readonly says: string;
  readonly unblock: string;
  /** Nothing ends it but a change of the budget or of the workload. */
  readonly isForGood: boolean;
}

/** The counts of a budget of which so many pods are healthy. */
export function countsOf({ desiredHealthy, expectedPods, demand }: DisruptionBudgetFacts, has: number) {
  return { needs: desiredHealthy, has, expects: expectedPods, ...(demand === undefined ? {} : { demand }) };
}

/**
 * Why a budget blocks a pod. Its controller counts on as many pods as should be there, so a budget that demands them all never allows an eviction:
 * https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets
 */
export function explainBudget({ needs = 0, has = 0, expects, demand }: BudgetCounts): BudgetBlock {
  if (expects !== undefined && needs >= expects && has <= needs) {
    return {
      says: `needs all of its ${count(expects, 'pod')} healthy, so it never lets one leave`,
      unblock: hintToSpare(demand),
      isForGood: true,
    };
  }
  if (has > needs) {
    return {
      says: 'lets one pod leave at a time',
      unblock: 'It continues by itself once the replacement of the pod that left before is healthy.',
      isForGood: false,
    };
  }
  const of = expects === undefined ? '' : ` of ${expects}`;
  return {
    says: `needs ${needs}${of} healthy, has ${has}`,
    unblock: `It continues by itself once more than ${needs} pods of the budget are healthy. See why they are not.`,
    isForGood: false,
  };
}

/** What an operator can do about a budget with that spec, which spares no pod. */
export function hintToSpare(demand: BudgetDemand | undefined): string {
  return `Let it spare at least one pod (maxUnavailable: 1)${endWithPods(1, demand)}`;
}

/** What an operator can do about the first budget that never lets a pod leave. Undefined without one. */
export function hintBudget(blocked: readonly BlockedPod[]): string | undefined {
  const strict = blocked.find((one) => one.budget !== undefined && explainBudget(one).isForGood);
  if (strict === undefined) return undefined;
  return `PodDisruptionBudget ${strict.budget} never lets a pod leave. ${explainBudget(strict).unblock} Then resume.`;
}
