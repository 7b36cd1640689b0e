import { expect, test } from 'vitest';
import { layOutInSlices } from '../../../core/guard/lay-out.ts';
import { decisionsOn, renew } from '../support/decisions.ts';
import { aLargeObservation } from '../support/large-cluster.ts';

test('the decisions are the same for an observation that was laid out in slices and one that was not', () => {
  const facts = aLargeObservation({ nodes: 30, services: 40, replicas: 20, budgets: 'tight' });
  const laidOut = renew(facts);
  expect([...layOutInSlices(laidOut)].length).toBeGreaterThan(4);
  for (const decide of Object.values(decisionsOn(facts))) expect(decide(laidOut)).toEqual(decide(renew(facts)));
});

test('an observation without load balancers is laid out too', () => {
  const { cluster, ...facts } = aLargeObservation({ nodes: 3, services: 2, replicas: 3 });
  expect(() => [...layOutInSlices({ ...facts, cluster, targetGroups: [] })]).not.toThrow();
});
