/** INF-023: settings that somebody has made on what the cloud has made of the pool are not copied. */
import { expect, test } from 'vitest';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import { aPolicy, aPool } from '../support/facts.ts';
import { factsOf, nodes } from '../support/scene.ts';

function found(ownSettings: readonly string[], ofNew?: readonly string[], policy: Partial<Policy> = {}) {
  const plan = buildPlan({
    policy: aPolicy(policy),
    run: 'run',
    pool: aPool(nodes, { ownSettings }),
    facts: factsOf(),
    ...(ofNew && { newPool: aPool([], { ownSettings: ofNew }) }),
  });
  return plan.findings.filter(({ rule }) => rule === 'INF-023').map(({ message }) => message);
}

test('they are told by name, but for those that the new pool has', () => {
  expect(found(['AZRebalance suspended', 'tag a=b'])).toEqual([
    expect.stringContaining('AZRebalance suspended, tag a=b'),
  ]);
  expect(found(['AZRebalance suspended', 'tag a=b'], ['tag a=b'])).toEqual([
    expect.stringMatching(/AZRebalance suspended$/),
  ]);
  expect(found(['tag a=b'], ['tag a=b'])).toEqual([]);
});

test('a pool that gets new nodes itself keeps them', () => {
  const { target } = aPolicy();

  expect(found(['tag a=b'], undefined, { target: { ...target, poolName: 'web' } })).toEqual([]);
});
