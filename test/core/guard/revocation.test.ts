import { describe, expect, test } from 'vitest';
import { findReexclusionBlock, findRevocation } from '../../../core/guard/revocation.ts';
import { aBudget, aNode, aPolicy, aWorkload, nodeRefOf, withMinServing } from '../support/facts.ts';
import type { Policy } from '../support/model.ts';
import { factsOf, learned, pods, type Scene } from '../support/scene.ts';

/** Node n1 is excluded, and its Service has a pod on each of four nodes. Returns whether its exclusion is revoked, or what else is asked. */
function ask(scene: Scene = {}, policy: Policy = aPolicy(), question = findRevocation): string | undefined {
  const now = factsOf({
    workloads: [aWorkload('web', 4)],
    ...scene,
    changed: { n1: { excluded: true }, ...scene.changed },
    states: { n1: 'draining', ...scene.states },
  });
  const { traffic = 'Local', budgets = [], crossZone = true } = scene;
  const baselines = learned(factsOf({ traffic, budgets, crossZone }), policy);
  return question({ node: nodeRefOf(aNode('n1')), facts: now, policy, baselines });
}

const failed = { n4: { ready: false } };

describe('a node whose exclude label somebody removed', () => {
  const back: Scene = { changed: { n1: { excluded: false } }, states: { n1: 'healthy' } };
  const askAgain = (scene: Scene) => ask(scene, aPolicy(), findReexclusionBlock);

  test('gets it again while every minimum is met without it, whether or not it serves by then', () => {
    expect(askAgain(back)).toBeUndefined();
    expect(askAgain({ ...back, states: { n1: 'initial' } })).toBeUndefined();
  });

  test('does not get it when it makes up for one that has failed or was excluded since', () => {
    const reason = 'default/web has 2 serving targets without it and must keep 3 (75 % of 4)';
    expect(askAgain({ ...back, changed: { ...back.changed, ...failed } })).toBe(reason);
    expect(askAgain({ ...back, changed: { ...back.changed, n4: { excluded: true } } })).toBe(reason);
  });

  test('does not get it because another node is about to serve again: that one has to serve first', () => {
    expect(askAgain({ ...back, states: { n1: 'healthy', n4: 'initial' } })).toMatch(/must keep 3/);
  });

  test('gets it whatever the figures without the capacity guard', () => {
    const scene = { ...back, changed: { ...back.changed, ...failed } };
    expect(ask(scene, aPolicy({ disabledRules: ['capacity-guard'] }), findReexclusionBlock)).toBeUndefined();
  });
});

describe('a node that was excluded', () => {
  test.each<[string, Scene]>([
    ['without a budget', {}],
    ['with a budget', { budgets: [aBudget('web', pods, 3)] }],
    ['in zones', { crossZone: false }],
    ['of policy Cluster', { traffic: 'Cluster' }],
  ])('stays excluded while the Service keeps its minimum without it: %s', (_, scene) => {
    expect(ask(scene)).toBeUndefined();
  });

  test.each<[string, Scene, string]>([
    ['a node failed', { changed: failed }, 'default/web has 2 serving targets without it and must keep 3 (75 % of 4)'],
    [
      'pods failed',
      { pods: pods.map((pod) => ({ ...pod, ready: pod.node !== 'n4' })), states: { n4: 'healthy' } },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
    [
      'a node failed that had pods of its budget',
      { changed: failed, budgets: [aBudget('web', pods, 3)] },
      'budget default/web has 2 reachable pods without it and must keep 3',
    ],
    [
      'the other node of its zone failed',
      { changed: { n2: { ready: false } }, crossZone: false, budgets: [aBudget('web', pods, 1)] },
      'default/web has 0 serving targets in a without it and must keep 1',
    ],
    [
      'a node failed, under policy Cluster',
      { changed: failed, traffic: 'Cluster' },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
    [
      'somebody excluded another node',
      { changed: { n4: { excluded: true } } },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
  ])('is restored when %s', (_, scene, reason) => {
    expect(ask(scene)).toBe(reason);
  });

  test.each<[string, Scene]>([
    ['another node that is being restored makes up for it', { states: { n4: 'initial' } }],
    ['so does one whose pods its budget counts', { states: { n4: 'initial' }, budgets: [aBudget('web', pods, 3)] }],
    ['so does one of the same zone', { states: { n2: 'unhealthy' }, crossZone: false }],
    ['so does one under policy Cluster', { states: { n4: 'initial' }, traffic: 'Cluster' }],
    [
      'so does one that was restored a moment ago, and still drains',
      { states: { n4: 'draining' }, traffic: 'Cluster' },
    ],
  ])('stays excluded when %s', (_, scene) => {
    const written = aPolicy(withMinServing(3));
    expect(ask({ ...scene, changed: failed }, written)).toBeDefined();
    expect(ask(scene, written)).toBeUndefined();
  });

  test.each<[string, Scene]>([
    ['has no pod Ready', { pods: pods.map((pod) => ({ ...pod, ready: pod.node !== 'n1' })) }],
    [
      'is NotReady itself, under policy Cluster',
      { changed: { n1: { excluded: true, ready: false } }, traffic: 'Cluster' },
    ],
  ])('stays excluded when it could not help: it %s', (_, scene) => {
    expect(ask({ ...scene, changed: { ...failed, ...scene.changed } })).toBeUndefined();
  });

  test('stays excluded when the Service was scaled down', () => {
    const fewer: Scene = { pods: pods.slice(0, 3), states: { n4: 'healthy' } };
    expect(ask(fewer)).toBeDefined();
    expect(ask({ ...fewer, workloads: [aWorkload('web', 3)] })).toBeUndefined();
  });

  test('stays excluded whatever happens when the guard is disabled', () => {
    expect(ask({ changed: failed }, aPolicy({ disabledRules: ['capacity-guard'] }))).toBeUndefined();
  });
});
