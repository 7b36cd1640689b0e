import type { V1LabelSelector, V1PodDisruptionBudget, V1PodDisruptionBudgetSpec } from '@kubernetes/client-node';

import type { BudgetDemand } from '../../core/model/budget-demand.ts';
import { onceFor } from '../../core/model/cluster-index.ts';
import { indexByLabels } from '../../core/model/label-index.ts';
import { selectorKeys, selectsLabels } from '../../core/model/label-selector.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../../core/model/pod.ts';
import { writtenBy } from './map-written-by.ts';

/** A PodDisruptionBudget before its pods are looked up. */
export interface MappedBudget {
  readonly facts: Omit<DisruptionBudgetFacts, 'podUids'>;
  readonly selector: V1LabelSelector | undefined;
}

/** What a PodDisruptionBudget object says. */
export function budgetFacts(budget: V1PodDisruptionBudget): MappedBudget {
  const { metadata, spec, status } = budget;
  return {
    facts: {
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      desiredHealthy: status?.desiredHealthy ?? 0,
      currentHealthy: status?.currentHealthy ?? 0,
      disruptionsAllowed: status?.disruptionsAllowed ?? 0,
      expectedPods: status?.expectedPods ?? 0,
      ...demandOf(spec),
      ...writtenBy(metadata),
      selectorKeys: selectorKeys(spec?.selector ?? {}),
      ...(spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' ? { evictsUnready: true } : {}),
    },
    selector: spec?.selector,
  };
}

/** Values are numbers of pods, or percentages like `90%`. The API server accepts only one of the two fields. */
function demandOf({ minAvailable, maxUnavailable }: Partial<V1PodDisruptionBudgetSpec> = {}): {
  readonly demand?: BudgetDemand;
} {
  const value = minAvailable ?? maxUnavailable;
  if (value === undefined) return {};
  const text = `${value}`;
  const field = minAvailable === undefined ? 'maxUnavailable' : 'minAvailable';
  return { demand: { field, amount: Number.parseInt(text, 10), isPercentage: text.endsWith('%') } };
}

const findPods = onceFor((pods: readonly PodFacts[]) => indexByLabels(pods));

/** Adds the UIDs of the pods that a budget covers; `pods` are those of its namespace. */
export function withPods(budget: MappedBudget, pods: readonly PodFacts[]): DisruptionBudgetFacts {
  const { matchLabels = {} } = budget.selector ?? {};
  const candidates = Object.keys(matchLabels).length === 0 ? pods : findPods(pods)(matchLabels);
  const covered = candidates.filter(({ labels }) => selectsLabels(budget.selector, labels));
  return { ...budget.facts, podUids: covered.map(({ uid }) => uid) };
}
