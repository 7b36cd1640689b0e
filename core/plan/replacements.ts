import { type CountedBudget, localStates } from '../guard/counts.ts';
import type { Guard } from '../guard/guard.ts';
import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ServingFacts } from '../model/serving.ts';

/**
 * Adds to the figures of a guard what replacements of these pods give: each on a new node in the zone of its own, Ready, and healthy in the
 * load balancers that look for pods on nodes. Under policy Cluster new nodes serve anyway, which the caller accounts for. Answers what
 * takes them away again.
 */
export function addReplacements(guard: Guard, pods: readonly PodFacts[], facts: ServingFacts): () => void {
  const undo: (() => void)[] = [];
  const served = new Set<string>();
  for (const pod of pods) {
    const observations = localStates(pod, facts);
    const { node = '' } = pod;
    for (const { service, serving } of observations) {
      const target = serving.get(node);
      const counted = servicesByKey(guard).get(service.key);
      if (target === undefined || counted === undefined || served.has(`${service.key}|${node}`)) continue;
      served.add(`${service.key}|${node}`);
      const add = (by: number) => {
        counted.targets += by;
        counted.perZone.set(target.zone, (counted.perZone.get(target.zone) ?? 0) + by);
      };
      add(1);
      undo.push(() => add(-1));
    }
    if (!pod.ready || !observations.every(({ serving }) => serving.has(node))) continue;
    for (const { namespace, name } of indexOf(facts.cluster).budgetsOf(pod.uid)) {
      const budget = budgetsByName(guard).get(`${namespace}/${name}`);
      if (budget === undefined) continue;
      budget.has += 1;
      undo.push(() => {
        budget.has -= 1;
      });
    }
  }
  return () => {
    for (const take of undo) take();
  };
}

const servicesByKey = onceFor(
  ({ services }: Guard) => new Map(services.map((counted) => [counted.state.service.key, counted])),
);

const budgetsByName = onceFor(
  ({ budgets }: Guard): ReadonlyMap<string, CountedBudget> => new Map(budgets.map((budget) => [budget.name, budget])),
);
