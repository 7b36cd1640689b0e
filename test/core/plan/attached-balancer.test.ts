/** INF-022: load balancers that are attached to the pool itself lose their targets with it, unless the pool of the new nodes is attached too. */
import { expect, test } from 'vitest';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import { aPolicy, aPool } from '../support/facts.ts';
import { factsOf, nodes } from '../support/scene.ts';

function found(attached: readonly string[], ofNew?: readonly string[], policy: Partial<Policy> = {}) {
  const newPool = ofNew && { ...aPool([], { attached: ofNew }) };
  const plan = buildPlan({
    policy: aPolicy(policy),
    run: 'run',
    pool: aPool(nodes, { attached }),
    facts: factsOf(),
    ...(newPool && { newPool }),
  });
  return plan.findings.filter(({ rule }) => rule === 'INF-022').map(({ message }) => message);
}

test('a target group that only the old pool is attached to is told of, with its name', () => {
  expect(found(['api'])).toEqual([expect.stringContaining('(api): the new nodes will not be targets there')]);
  expect(found(['api', 'web'], ['web'])).toEqual([expect.stringContaining('(api)')]);
});

test('one that the new pool is attached to keeps its targets', () => {
  expect(found(['api'], ['web', 'api'])).toEqual([]);
});

test('one keeps its targets when the pool itself gets new nodes', () => {
  const { target } = aPolicy();

  expect(found(['api'], undefined, { target: { ...target, poolName: 'web' } })).toEqual([]);
});

test('what could not be read is told, with the reason', () => {
  const pool = aPool(nodes, { attachedUnread: 'compute.backendServices.list: not allowed' });
  const { findings } = buildPlan({ policy: aPolicy(), run: 'run', pool, facts: factsOf() });
  expect(findings.filter(({ rule }) => rule === 'INF-022')).toMatchObject([
    { severity: 'info', message: expect.stringContaining('is not known: compute.backendServices.list: not allowed') },
  ]);
});
