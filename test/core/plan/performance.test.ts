import { describe, expect, test } from 'vitest';
import { counted } from '../support/counted.ts';
import { decisionsOn } from '../support/decisions.ts';
import { aLargeObservation, type LargeShape } from '../support/large-cluster.ts';

/** How often each decision reads what an observation is made of, on average over all of it. */
function readsPerPart(shape: LargeShape): Readonly<Record<string, number>> {
  const facts = aLargeObservation(shape);
  const decisions = Object.entries(decisionsOn(facts)).map(([name, decide]) => {
    const { observation, readsPerPart: reads } = counted(facts);
    decide(observation);
    return [name, reads()] as const;
  });
  return Object.fromEntries(decisions);
}

/** Clusters of which everything grows together. */
const shapes: Readonly<Record<string, (n: number) => LargeShape>> = {
  'policy Local': (n) => ({ nodes: n, services: n / 5, replicas: n / 2 }),
  'policy Cluster': (n) => ({ nodes: n, services: n / 5, replicas: n / 2, traffic: 'Cluster' }),
  'one endpoint per zone, without cross-zone balancing': (n) => ({
    nodes: n,
    services: n / 5,
    replicas: 3,
    crossZone: false,
  }),
  'a pod on every node': (n) => ({ nodes: n, services: n / 5, replicas: n }),
  'a budget for each Service': (n) => ({ nodes: n, services: n / 5, replicas: n / 2, budgets: 'each' }),
  'budgets that spare one pod': (n) => ({ nodes: n, services: n / 5, replicas: n / 2, budgets: 'tight' }),
  'budgets over many Services': (n) => ({ nodes: n, services: n / 5, replicas: n / 2, budgets: 'shared' }),
  'pods as targets': (n) => ({ nodes: n, services: n / 5, replicas: n / 2, podTargets: true }),
  'many pods, Services and budgets beside': (n) => ({
    nodes: n,
    services: n / 5,
    replicas: n / 10,
    otherPods: 20 * n,
    otherServices: n,
    otherBudgets: n,
  }),
};

describe.each(Object.entries(shapes))('in a cluster with %s', (_, shape) => {
  const [few, many] = [readsPerPart(shape(20)), readsPerPart(shape(80))];

  test.each(Object.keys(many))('%s reads everything a few times, however much there is', (decision) => {
    expect(many[decision]).toBeLessThan(70);
    expect(many[decision]).toBeLessThan(1.5 * (few[decision] ?? 0) + 1);
  });
});
