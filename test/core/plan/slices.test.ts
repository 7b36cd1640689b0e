import { expect, test } from 'vitest';
import { buildPlan, buildPlanInSlices } from '../../../core/plan/build-plan.ts';
import { aPolicy, aPool, withGuard, withPodSurge } from '../support/facts.ts';
import { aLargeObservation } from '../support/large-cluster.ts';

test('a plan that is made in slices is the same, and no slice processes all waves', () => {
  const facts = aLargeObservation({ nodes: 30, services: 5, replicas: 20, budgets: 'each' });
  const policy = aPolicy({ ...withPodSurge(0.1), ...withGuard({ maxInFlight: 3 }) });
  const question = { policy, run: 'run', pool: aPool(facts.cluster.nodes), facts };
  const work = buildPlanInSlices(question);
  let slices = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) slices += 1;
  expect(step.value).toEqual(buildPlan(question));
  expect(slices).toBeGreaterThan(30 / 3 + 30);
});
