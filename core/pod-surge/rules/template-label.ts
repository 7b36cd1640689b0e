import { policiesThatMiss } from '../../eviction/network-policies.ts';
import { onceFor } from '../../model/cluster-index.ts';
import { servicesOf } from '../../model/endpoints.ts';
import { type DisruptionBudgetFacts, templateLabel } from '../../model/pod.ts';
import { listNames } from '../../text/format.ts';
import type { PodSurgeRule } from './rule.ts';

/** A released pod must keep serving, and so only its ReplicaSet may use the label that it loses. */
export const label: PodSurgeRule = (pod, { cluster }) => {
  const value = pod.labels[templateLabel];
  if (value === undefined || pod.ownerSelector?.[templateLabel] !== value)
    return { reason: `its ReplicaSet does not select it by label ${templateLabel}` };
  const services = servicesOf(pod, cluster).filter(({ selector }) => templateLabel in selector);
  const budgets = budgetsByLabel(cluster.budgets).filter(({ namespace }) => namespace === pod.namespace);
  const readers = [
    ...services.map(({ key }) => key),
    ...budgets.map(({ name }) => `budget ${pod.namespace}/${name}`),
    ...policiesThatMiss(pod, [templateLabel], cluster),
  ];
  if (readers.length === 0) return undefined;
  return {
    reason: `${listNames(readers)} selects by label ${templateLabel}, which a released pod loses`,
    hint: 'Use labels of the application in the selector.',
  };
};

const budgetsByLabel = onceFor((budgets: readonly DisruptionBudgetFacts[]) =>
  budgets.filter(({ selectorKeys = [] }) => selectorKeys.includes(templateLabel)),
);
