/** The guard counts pods where these are the targets of a load balancer. */
import { describe, expect, test } from 'vitest';
import { learnBaselines, type ServiceBaseline } from '../../../core/guard/baseline.ts';
import { openGuard } from '../../../core/guard/guard.ts';
import { stateOf } from '../../../core/guard/serving.ts';
import { noteSilent } from '../../../core/guard/silent-groups.ts';
import { decideDeregistered } from '../../../core/waits/load-balancers.ts';
import { decideNodesRegistered } from '../../../core/waits/surge.ts';
import { aBudget, aNode, aPod, aPolicy, aWorkload, withMinServing } from '../support/facts.ts';
import type { Policy, ServingFacts, TargetState } from '../support/model.ts';
import { podsBehind } from '../support/pod-targets.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3')];
/** Two pods on the first node, one on each of the others. */
const pods = [aPod('web-1', 'n1'), aPod('web-2', 'n1'), aPod('web-3', 'n2'), aPod('web-4', 'n3')];

const behind = (changes: Parameters<typeof podsBehind>[1] = {}) =>
  podsBehind(pods, { nodes, workloads: [aWorkload('web', 4)], ...changes });

function blockOf(name: string, facts: ServingFacts, change: Partial<Policy> = {}, before = behind()) {
  const policy = aPolicy(change);
  const baselines = learnBaselines([], before, policy);
  const guard = openGuard({ facts, policy, baselines, inFlight: [], waiting: nodes });
  return guard.findBlock(nodes.find((node) => node.name === name) ?? nodes[0] ?? aNode(name));
}

const webOf = (facts: ServingFacts) => {
  const [service] = facts.cluster.services;
  if (service === undefined) throw new Error('no Service');
  return stateOf(service, facts);
};

test('a node serves with as many targets as it has healthy pods, whatever the policy of the Service', () => {
  for (const externalTrafficPolicy of ['Local', 'Cluster'] as const) {
    const state = webOf(
      behind({ states: { 'web-3': 'initial', 'web-4': 'gone' }, service: { externalTrafficPolicy } }),
    );
    expect([...state.serving.values()].map(({ name, targets }) => [name, targets])).toEqual([['n1', 2]]);
  }
});

test('a node takes all its pods with it', () => {
  expect(blockOf('n1', behind(), withMinServing(3))).toMatchObject({ limit: 'targets', needs: 3, has: 4 });
  expect(blockOf('n2', behind(), withMinServing(3))).toBeUndefined();
});

test('without a minimum of its own, the pods of any one node may leave', () => {
  for (const { name } of nodes) expect(blockOf(name, behind())).toBeUndefined();
});

test('a pod that is no healthy target does not count', () => {
  const facts = behind({ states: { 'web-4': 'unhealthy' } });
  expect(blockOf('n2', facts, withMinServing(3))).toMatchObject({ limit: 'targets', needs: 3, has: 3 });
});

test('a Service with fewer healthy targets than before blocks the nodes of its pods', () => {
  const facts = behind({ states: { 'web-3': 'initial' } });
  expect(blockOf('n2', facts)).toMatchObject({ limit: 'best', has: 3, needs: 4 });
});

describe('a Service with a second group of pods that has no healthy target', () => {
  const second = (state: TargetState, facts = behind()): ServingFacts => {
    const [group] = facts.targetGroups;
    if (group === undefined) throw new Error('no group');
    const targets = group.targets.map((target) => ({ ...target, state }));
    return { ...facts, targetGroups: [group, { ...group, id: 'arn:second', name: 'second', targets }] };
  };
  const noted = (facts: ServingFacts, baselines: readonly ServiceBaseline[] = []): ServingFacts => {
    return { ...facts, targetGroups: noteSilent(facts.targetGroups, baselines) };
  };

  test('is protected in the first one all the same', () => {
    const facts = noted(second('unhealthy'));
    expect(blockOf('n1', facts, withMinServing(3), facts)).toMatchObject({ limit: 'targets', needs: 3, has: 4 });
  });

  test('is protected in both as soon as the second one has served', () => {
    const first = learnBaselines([], noted(second('unhealthy')), aPolicy());
    expect(first).toMatchObject([{ targets: 4, groups: ['arn:web'] }]);
    const both = learnBaselines(first, noted(second('healthy'), first), aPolicy());
    expect(both).toMatchObject([{ targets: 4, groups: ['arn:second', 'arn:web'] }]);
    const facts = noted(second('unhealthy'), both);
    const guard = openGuard({ facts, policy: aPolicy(), baselines: both, inFlight: [], waiting: nodes });
    expect(guard.findBlock(aNode('n2'))).toMatchObject({ needs: 3, has: 0 });
  });
});

test('a budget does not block a node, because its pods leave one by one', () => {
  expect(blockOf('n1', behind({ budgets: [aBudget('web', pods, 3)] }))).toBeUndefined();
});

test('no step of a node waits for pods', () => {
  const { targetGroups } = behind();
  const [first = aNode('n1')] = nodes;
  expect(decideDeregistered(first, targetGroups, { excludedForMs: 0, deadlineMs: 0 })).toMatchObject({
    done: true,
    reason: 'n1 is in no target group',
  });
  const policy = aPolicy();
  const fresh = aNode('new-1', { pool: policy.target.poolName });
  const facts = behind({ nodes: [...nodes, fresh] });
  expect(decideNodesRegistered({ facts, policy, expected: 1 }).done).toBe(true);
});
