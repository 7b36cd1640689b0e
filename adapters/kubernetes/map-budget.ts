import type { V1LabelSelector, V1PodDisruptionBudget } from '@kubernetes/client-node';

import { onceFor } from '../../core/model/cluster-index.ts';
import { indexByLabels } from '../../core/model/label-index.ts';
import { selectorKeys, selectsLabels } from '../../core/model/label-selector.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../../core/model/pod.ts';

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
      selectorKeys: selectorKeys(spec?.selector ?? {}),
      ...(spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' ? { evictsUnready: true } : {}),
    },
    selector: spec?.selector,
  };
}

const findPods = onceFor((pods: readonly PodFacts[]) => indexByLabels(pods));

/** Adds the UIDs of the pods that a budget covers; `pods` are those of its namespace. */
export function withPods(budget: MappedBudget, pods: readonly PodFacts[]): DisruptionBudgetFacts {
  const { matchLabels = {} } = budget.selector ?? {};
  const candidates = Object.keys(matchLabels).length === 0 ? pods : findPods(pods)(matchLabels);
  const covered = candidates.filter(({ labels }) => selectsLabels(budget.selector, labels));
  return { ...budget.facts, podUids: covered.map(({ uid }) => uid) };
}
