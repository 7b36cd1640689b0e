import { describe, expect, test } from 'vitest';
import { computeMinServing, describeMinServing } from '../../../core/guard/min-serving.ts';
import { stateOf } from '../../../core/guard/serving.ts';
import { aBudget, aNode, aPod, aPolicy, aWorkload, withGuard } from '../support/facts.ts';
import type { PodFacts, Policy, ServiceFacts, ServingFacts } from '../support/model.ts';
import { factsOf, learned, type Scene } from '../support/scene.ts';

/** A number of nodes, alternately in two zones. */
const nodesOf = (n: number) =>
  Array.from({ length: n }, (_, index) => aNode(`n${index + 1}`, { zone: index % 2 === 0 ? 'a' : 'b' }));

/** A number of pods, distributed in turn over a number of nodes. */
const podsOn = (n: number, hosts: number) =>
  Array.from({ length: n }, (_, index) => aPod(`web-${index + 1}`, `n${(index % hosts) + 1}`));

interface Terms extends Scene {
  readonly pods: readonly PodFacts[];
  /** What the workload is scaled to, when that is not the pods that are there. */
  readonly replicas?: number;
  /** Pods that a budget requires. */
  readonly demands?: number;
}

function state({ replicas, demands, ...scene }: Terms) {
  const budgets = demands === undefined ? [] : [aBudget('web', scene.pods, demands)];
  return factsOf({ workloads: [aWorkload('web', replicas ?? scene.pods.length)], budgets, ...scene });
}

/** The minimum for the state `now`, with a baseline from the state `before`. */
function minServingOf(now: ServingFacts, before = now, guard: Partial<Policy['guard']> = {}) {
  const policy = aPolicy(withGuard(guard));
  const [service] = now.cluster.services;
  if (service === undefined) throw new Error('no Service');
  const [baseline] = learned(before, policy);
  return computeMinServing(stateOf(service, now), now, policy, baseline);
}

const four = state({ nodes: nodesOf(4), pods: podsOn(4, 4) });

describe('the minimum serving', () => {
  test('is the default share of what serves, rounded up', () => {
    expect(minServingOf(four)).toEqual({ targets: 3, perZone: {}, endpoints: 0, source: '75 % of 4' });
    expect(minServingOf(four, four, { defaultMinServing: 0.5 }).targets).toBe(2);
  });

  test.each([
    [3, 2],
    [2, 1],
    [1, 1],
  ])('by default lets one of %i serving targets be excluded, but never the last', (n, expected) => {
    expect(minServingOf(state({ nodes: nodesOf(n), pods: podsOn(n, n) })).targets).toBe(expected);
  });

  test('is left to the budget under Local, but one target stays', () => {
    const facts = state({ nodes: nodesOf(4), pods: podsOn(4, 4), demands: 3 });
    expect(minServingOf(facts)).toEqual({ targets: 1, perZone: {}, endpoints: 3, source: 'pdb web' });
  });

  test('counts entry nodes under Cluster, whatever the budget says', () => {
    const facts = state({ nodes: nodesOf(4), pods: podsOn(4, 4), demands: 3, traffic: 'Cluster' });
    expect(minServingOf(facts)).toEqual({ targets: 3, perZone: {}, endpoints: 3, source: '75 % of 4, pdb web' });
  });

  test('under Cluster does not count replacements that are there already', () => {
    const nodes = [...nodesOf(4), aNode('new-1', { pool: 'web-1-34' }), aNode('new-2', { pool: 'web-1-34' })];
    expect(minServingOf(state({ nodes, pods: podsOn(4, 4), traffic: 'Cluster' })).targets).toBe(3);
  });

  test('is what the policy says, even if no node can leave then', () => {
    const facts = state({ nodes: nodesOf(4), pods: podsOn(4, 4), demands: 1 });
    const written = { 'default/web': { targets: 4 } };
    expect(minServingOf(facts, facts, { minServing: written })).toMatchObject({
      targets: 4,
      endpoints: 1,
      source: 'policy',
    });
    expect(minServingOf(four, four, { minServing: { 'default/web': { share: 0.5 } } }).targets).toBe(2);
  });

  test('requires of a Service what its budget requires when all its other pods are healthy', () => {
    const others = podsOn(2, 2).map((pod) => ({ ...pod, uid: `other-${pod.uid}`, labels: { app: 'api' } }));
    const facts = state({ nodes: nodesOf(4), pods: podsOn(4, 4) });
    const budgets = [aBudget('both', [...facts.cluster.pods, ...others], 5)];
    expect(minServingOf({ ...facts, cluster: { ...facts.cluster, budgets } }).endpoints).toBe(3);
  });

  test('without a load balancer is the budget alone', () => {
    const facts = state({ nodes: nodesOf(4), pods: podsOn(4, 4), demands: 2 });
    const alone = { ...facts, targetGroups: [] };
    expect(minServingOf(alone)).toEqual({ targets: 0, perZone: {}, endpoints: 2, source: 'pdb web' });
    expect(minServingOf({ ...four, targetGroups: [] }).source).toBe('no load balancer');
  });
});

describe('the minimum follows the present state of the Service', () => {
  const six = nodesOf(6);
  const twelve = nodesOf(12);

  test.each([
    ['scaled up on more nodes', state({ nodes: twelve, pods: podsOn(12, 12) }), four, 3],
    [
      'scaled down to fewer nodes',
      state({ nodes: twelve, pods: podsOn(4, 4) }),
      state({ nodes: twelve, pods: podsOn(12, 12) }),
      3,
    ],
    [
      'scaled down on shared nodes',
      state({ nodes: twelve, pods: podsOn(4, 2) }),
      state({ nodes: twelve, pods: podsOn(12, 12) }),
      1,
    ],
    ['moved together', state({ nodes: six, pods: podsOn(6, 3) }), state({ nodes: six, pods: podsOn(6, 6) }), 2],
  ])('%s', (_, now, before, targets) => {
    expect(minServingOf(now, before).targets).toBe(targets);
  });

  test('but not a momentary state: pods that are not Ready, or not there yet, count', () => {
    const unready = podsOn(4, 4).map((pod, index) => ({ ...pod, ready: index === 0 }));
    expect(minServingOf(state({ nodes: nodesOf(4), pods: unready }), four).targets).toBe(3);
    expect(minServingOf(state({ nodes: nodesOf(4), pods: podsOn(1, 1), replicas: 4 }), four).targets).toBe(3);
    expect(minServingOf(state({ nodes: nodesOf(4), pods: [], replicas: 4 }), four).targets).toBe(3);
  });

  test('and a share that somebody wrote does too', () => {
    const minServing = { 'default/web': { share: 0.5 } };
    expect(minServingOf(state({ nodes: nodesOf(4), pods: podsOn(2, 2) }), four, { minServing }).targets).toBe(1);
  });

  const gone = { nodes: nodesOf(4), pods: [], replicas: 0 };

  test('a Service that is scaled to zero has none, even if somebody wrote one', () => {
    expect(minServingOf(state(gone), four)).toMatchObject({ targets: 0, perZone: {} });
    expect(minServingOf(state(gone), four, { minServing: { 'default/web': { targets: 3 } } }).targets).toBe(0);
  });

  test('a Service whose selector matches nothing any more keeps what it had', () => {
    const service = { selector: { app: 'wbe' }, endpoints: [] };
    expect(minServingOf(state({ ...gone, replicas: 4, service }), four).targets).toBe(3);
  });

  test('a Service that never served has none', () => {
    const never = state({ nodes: nodesOf(4), pods: podsOn(4, 4).map((pod) => ({ ...pod, ready: false })) });
    expect(minServingOf(never).targets).toBe(0);
  });
});

describe('the minimum of a zone', () => {
  const before = state({ nodes: nodesOf(4), pods: podsOn(4, 4), crossZone: false });
  const zones = (pods: readonly PodFacts[], traffic: ServiceFacts['externalTrafficPolicy'] = 'Local') =>
    minServingOf(state({ nodes: nodesOf(4), pods, traffic, crossZone: false, replicas: 4 }), before).perZone;
  const inA = podsOn(4, 4).filter((pod) => pod.node === 'n1' || pod.node === 'n3');

  test('keeps every zone that served when cross-zone balancing is off, and none when it is on', () => {
    expect(minServingOf(before).perZone).toEqual({ a: 1, b: 1 });
    expect(minServingOf(four).perZone).toEqual({});
    expect(minServingOf(state({ nodes: nodesOf(4), pods: inA, crossZone: false })).perZone).toEqual({ a: 1 });
  });

  test('ends once cross-zone balancing has been turned on', () => {
    expect(minServingOf(state({ nodes: nodesOf(4), pods: podsOn(4, 4), crossZone: true }), before).perZone).toEqual({});
  });

  test('holds as long as the zone has pods, Ready or not', () => {
    const unready = podsOn(4, 4).map((pod) => ({ ...pod, ready: pod.node === 'n1' }));
    expect(zones(unready)).toEqual({ a: 1, b: 1 });
  });

  test('ends in a zone without any pod left', () => {
    expect(zones(inA)).toEqual({ a: 1 });
    expect(zones([...inA, aPod('web-9', 'n2', { terminating: true })])).toEqual({ a: 1 });
  });

  test('depends on nodes, not pods, under policy Cluster', () => {
    expect(zones(inA, 'Cluster')).toEqual({ a: 1, b: 1 });
  });
});

test('a minimum is described with its figures, each with its noun', () => {
  const least = { targets: 1, perZone: { 'eu-west-1a': 1 }, endpoints: 2, source: 'policy' };
  expect(describeMinServing(least)).toBe('1 target, eu-west-1a 1, 2 endpoints');
  expect(describeMinServing({ ...least, targets: 3, perZone: {}, endpoints: 0 })).toBe('3 targets');
});
