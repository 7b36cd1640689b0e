import { describe, expect, test } from 'vitest';
import { explainBlock, explainNever } from '../../../core/guard/block.ts';
import { countBudgets } from '../../../core/guard/counts.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aService,
  aTarget,
  aWorkload,
  endpointOf,
} from '../support/facts.ts';
import type { NodeRef, PodFacts, ServiceFacts, ServingFacts } from '../support/model.ts';
import { blocked, blockOf, factsOf, guardOf, leaving, names, nodes, pods, type Scene } from '../support/scene.ts';

test.each([
  ['was told to stop', pods.map((pod, index) => (index === 0 ? { ...pod, terminating: true } : pod))],
  ['is gone', pods.slice(1)],
])('a pod that %s does not count, though the slices list it as ready and its target is healthy', (_, left) => {
  const listed = (some: readonly PodFacts[]) => ({ service: { endpoints: some.slice(0, 2).map(endpointOf) } });
  const before = factsOf({ ...listed(pods), pods: pods.slice(0, 2) });
  const now = { ...listed(pods), pods: left.filter(({ node }) => node === 'n1' || node === 'n2') };
  const workloads = [aWorkload('web', 1)];
  const states = { n1: 'healthy', n2: 'healthy' } as const;
  expect(blockOf(guardOf(factsOf({ ...now, workloads, states }), before), 'n2')).toMatchObject({
    service: 'default/web',
    has: 1,
    needs: 1,
  });
  const staying = factsOf({ ...now, pods: pods.slice(0, 2), workloads, states });
  expect(blockOf(guardOf(staying, before), 'n2')).toBeUndefined();
});

describe('a budget that can never allow it blocks a node', () => {
  const crowded = [...pods.slice(0, 3), aPod('web-5', 'n1')];

  test.each([
    ['because it demands all its pods', 4, pods, { needs: 4, has: 4, never: { expects: 4, takes: 1 } }],
    [
      'because it spares fewer pods than the node has',
      3,
      crowded,
      { needs: 3, has: 4, never: { expects: 4, takes: 2 } },
    ],
    ['because it demands more pods than there are', 5, pods, { needs: 5, has: 4, never: { expects: 4, takes: 1 } }],
  ])('%s', (_, desired, there, block) => {
    const facts = factsOf({ pods: there, budgets: [aBudget('web', there, desired)] });
    expect(blockOf(guardOf(facts, facts), 'n1')).toMatchObject({ limit: 'endpoints', ...block });
  });

  test('and says what it needs and has, how to change it, and how many pods would do', () => {
    const demand = { field: 'minAvailable', amount: 3, isPercentage: false } as const;
    const facts = factsOf({ pods: crowded, budgets: [{ ...aBudget('web', crowded, 3), demand }] });
    expect(explainNever(blockOf(guardOf(facts, facts), 'n1') ?? { node: '', limit: 'best', needs: 0, has: 0 })).toBe(
      'Budget default/web needs 3 healthy of its 4 pods, and 2 of them are on the node. Let it spare 2 pods (kubectl -n default edit pdb web, ' +
        'maxUnavailable: 2), or run at least 5 of its pods: its minAvailable is 3.',
    );
  });

  test('but one that only waits for a pod to serve may allow it', () => {
    const more = [...pods, aPod('web-5', 'n1', { ready: false })];
    const facts = factsOf({ pods: more, budgets: [aBudget('web', more, 4)] });
    const block = blockOf(guardOf(facts, facts), 'n2');
    expect(block).toMatchObject({ limit: 'endpoints', needs: 4, has: 4 });
    expect(block).not.toHaveProperty('never');
  });
});

describe('a node that serves nothing for a moment is blocked', () => {
  /** How nodes may come to serve nothing, each a moment after all was well. */
  const unready = (some: readonly string[]) => pods.map((pod) => ({ ...pod, ready: !some.includes(pod.node ?? '') }));
  const silent = (some: readonly string[]) => nodes.map((node) => ({ ...node, ready: !some.includes(node.name) }));
  const failing = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, 'unhealthy' as const]));
  const absent = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, 'absent' as const]));
  const all = names;
  const one = ['n4'];

  test.each<[string, string, readonly string[], Scene]>([
    ['the endpoints of all nodes are not ready', 'Local', all, { pods: unready(all) }],
    ['the endpoints of one node are not ready', 'Local', one, { pods: unready(one) }],
    ['all targets are unhealthy', 'Local', all, { states: failing(all) }],
    ['one target is unhealthy', 'Local', one, { states: failing(one) }],
    ['all nodes are NotReady', 'Local', all, { nodes: silent(all) }],
    ['one node is NotReady', 'Local', one, { nodes: silent(one) }],
    ['all targets are unhealthy', 'Cluster', all, { states: failing(all) }],
    ['one target is unhealthy', 'Cluster', one, { states: failing(one) }],
    ['all nodes are NotReady', 'Cluster', all, { nodes: silent(all) }],
    ['one node is NotReady', 'Cluster', one, { nodes: silent(one) }],
    ['all nodes are NotReady and deregistered', 'Local', all, { nodes: silent(all), states: absent(all) }],
    ['one node is NotReady and deregistered', 'Local', one, { nodes: silent(one), states: absent(one) }],
    ['all nodes are NotReady and deregistered', 'Cluster', all, { nodes: silent(all), states: absent(all) }],
    ['one node is NotReady and deregistered', 'Cluster', one, { nodes: silent(one), states: absent(one) }],
  ])('while %s (policy %s)', (_, policy, idle, scene) => {
    const traffic = policy as ServiceFacts['externalTrafficPolicy'];
    const budgets = [aBudget('web', pods, 3)];
    for (const more of [{}, { budgets }]) {
      const guard = guardOf(factsOf({ ...scene, ...more, traffic }), factsOf({ ...more, traffic }));
      for (const name of idle) {
        const block = blockOf(guard, name);
        expect(block).toMatchObject({ node: name, service: 'default/web', idle: true });
        expect(block === undefined ? '' : explainBlock(block)).toContain('the node serves nothing now, but may again');
      }
    }
  });

  test('below its baseline, though above its minimum, with what it lacks', () => {
    expect(blockOf(guardOf(factsOf({ pods: unready(one) })), 'n4')).toMatchObject({
      limit: 'best',
      what: 'ready endpoint',
      has: 3,
      needs: 4,
    });
    expect(
      blockOf(guardOf(factsOf({ traffic: 'Cluster', states: failing(one) }), factsOf({ traffic: 'Cluster' })), 'n4'),
    ).toMatchObject({
      limit: 'best',
      what: 'serving target',
      has: 3,
      needs: 4,
    });
  });

  test('below its minimum, also on a node that is only registered', () => {
    const bare = pods.slice(0, 3);
    const guard = guardOf(factsOf({ pods: bare.map((pod) => ({ ...pod, ready: false })) }), factsOf({ pods: bare }));
    expect(blockOf(guard, 'n4')).toMatchObject({
      limit: 'targets',
      service: 'default/web',
      idle: true,
      has: 0,
      needs: 2,
    });
  });

  test('in a zone that has lost its targets', () => {
    const scene = { crossZone: false, states: { n3: 'unhealthy', n4: 'unhealthy' } } as const;
    const guard = guardOf(factsOf({ ...scene, budgets: [aBudget('web', pods, 1)] }), factsOf({ crossZone: false }));
    expect(blockOf(guard, 'n3')).toMatchObject({ limit: 'zone', zone: 'b', idle: true, has: 0, needs: 1 });
  });

  test('by its budget, where the Service itself lacks nothing', () => {
    const budgets = [aBudget('web', pods, 3)];
    const guard = guardOf(factsOf({ pods: unready(one), budgets }), factsOf({ pods: unready(one), budgets }));
    expect(blockOf(guard, 'n1')).toMatchObject({ limit: 'endpoints', budget: 'default/web', has: 3, needs: 3 });
    expect(blockOf(guard, 'n1')).not.toHaveProperty('idle');
    expect(blockOf(guard, 'n1')).not.toHaveProperty('never');
    const less = [aBudget('web', pods, 4)];
    expect(
      blockOf(guardOf(factsOf({ pods: unready(one), budgets: less }), factsOf({ pods: unready(one) })), 'n4'),
    ).toMatchObject({
      limit: 'endpoints',
      idle: true,
    });
  });

  test('until it serves again', () => {
    expect(blocked(guardOf(factsOf()))).toEqual([]);
    expect(leaving(factsOf())).toEqual(['n1']);
  });

  test('but not a node that was only a target of it, once the minimum holds', () => {
    const bare = pods.slice(0, 3);
    const guard = guardOf(factsOf({ pods: bare }), factsOf({ pods: bare }));
    expect(blockOf(guard, 'n4')).toBeUndefined();
  });

  test('but not for what its baseline lacked already', () => {
    const broken = factsOf({ pods: unready(one) });
    expect(blocked(guardOf(broken, broken))).toEqual([]);
  });

  test('but not a node of a run that rolls back, for pods that are not ready there', () => {
    const going = nodes.map((node) => (node.name === 'n4' ? { ...node, pool: 'web-1-34' } : node));
    const scene = { nodes: going, pods: unready(one) };
    expect(blockOf(guardOf(factsOf(scene)), 'n4')).toBeUndefined();
    const bare = pods.map((pod) => ({ ...pod, ready: false }));
    expect(blockOf(guardOf(factsOf({ ...scene, pods: bare })), 'n4'), 'its minimum blocks it').toMatchObject({
      limit: 'targets',
    });
  });

  test('under policy Cluster only as long as others don’t make up for it', () => {
    const more = [1, 2, 3, 4].map((index) => aNode(`new-${index}`, { pool: 'web-1-34' }));
    const surged = factsOf({ traffic: 'Cluster', nodes: [...nodes, ...more], states: failing(one) });
    expect(blocked(guardOf(surged, factsOf({ traffic: 'Cluster' })))).toEqual([]);
  });
});

describe('minimums follow the present state', () => {
  const twelve = Array.from({ length: 12 }, (_, index) => aPod(`web-${index + 1}`, names[index % 4]));

  test.each<[string, Scene, Scene]>([
    ['4 pods became 12 with a budget that demands 9', { pods: twelve, budgets: [aBudget('web', twelve, 9)] }, {}],
    ['12 pods became 4 with a budget that demands 3', { budgets: [aBudget('web', pods, 3)] }, { pods: twelve }],
    ['12 pods became 4 without a budget', {}, { pods: twelve }],
  ])('%s: one node may leave, the next is blocked', (_, now, before) => {
    expect(leaving(factsOf(now), factsOf(before))).toEqual(['n1']);
  });

  test('6 pods became 5 with maxUnavailable 1: one node may leave', () => {
    const six = [...pods, aPod('web-5', 'n5'), aPod('web-6', 'n6')];
    const wide = [...nodes, aNode('n5'), aNode('n6')];
    const now = factsOf({ nodes: wide, pods: six.slice(0, 5), budgets: [aBudget('web', six.slice(0, 5), 4)] });
    const before = factsOf({ nodes: wide, pods: six, budgets: [aBudget('web', six, 5)] });
    expect(leaving(now, before)).toEqual(['n1']);
  });

  test('a Service that is scaled to zero blocks no node', () => {
    expect(leaving(factsOf({ pods: [] }))).toEqual(names);
  });

  test('a Service of policy Cluster that is scaled to zero blocks no node, whatever its health checks say', () => {
    const states = Object.fromEntries(names.map((name) => [name, 'unhealthy' as const]));
    const now = factsOf({ pods: [], traffic: 'Cluster', states });
    expect(leaving(now, factsOf({ traffic: 'Cluster' }))).toEqual(names);
  });

  test('a Service whose selector matches nothing any more blocks every node', () => {
    const scene = { service: { selector: { app: 'wbe' }, endpoints: [] }, workloads: [aWorkload('web', 4)] };
    const states = Object.fromEntries(names.map((name) => [name, 'unhealthy' as const]));
    expect(blocked(guardOf(factsOf({ ...scene, states })))).toEqual(names);
  });
});

describe('a zone', () => {
  const inA = pods.slice(0, 2);

  test('keeps a target while it has pods', () => {
    const now = factsOf({ crossZone: false, budgets: [aBudget('web', pods, 1)] });
    expect(leaving(now, factsOf({ crossZone: false }))).toEqual(['n1', 'n3']);
  });

  test('without any pod left blocks no node', () => {
    const now = factsOf({ crossZone: false, pods: inA, workloads: [aWorkload('web', 2)] });
    const guard = guardOf(now, factsOf({ crossZone: false }));
    expect(blockOf(guard, 'n3')).toBeUndefined();
    expect(blockOf(guard, 'n4')).toBeUndefined();
  });

  test('blocks no node with cross-zone balancing', () => {
    expect(leaving(factsOf({ budgets: [aBudget('web', pods, 1)] }))).toEqual(['n1', 'n2', 'n3']);
  });
});

describe('nodes that are out', () => {
  const [n1 = aNode('n1')] = nodes;

  test('lower every figure, and serve nothing', () => {
    const now = factsOf({ budgets: [aBudget('web', pods, 2)] });
    const figures = (inFlight: readonly NodeRef[]) => {
      const guard = guardOf(now, now, inFlight);
      const [service] = guard.services;
      const serves = [guard.servedBy(n1).length, guard.chargedBy(n1).length];
      return [
        service?.targets,
        service?.perZone.get('a'),
        countBudgets(now, new Set(inFlight.map(({ name }) => name)), [])[0]?.has,
        ...serves,
      ];
    };
    expect(figures([])).toEqual([4, 2, 4, 1, 1]);
    expect(figures([n1])).toEqual([3, 1, 3, 0, 0]);
  });

  test('are counted once when they were out already', () => {
    const excluded = factsOf({ nodes: nodes.map((node) => ({ ...node, excluded: node.name === 'n1' })) });
    expect(guardOf(excluded, factsOf(), [n1]).services[0]?.targets).toBe(3);
  });
});

describe('what decides about a node', () => {
  const hosts = [aPod('web-1', 'n1'), aPod('api-1', 'n2'), aPod('far-1', 'n3')];
  const services = [aService('web', hosts), aService('api', hosts), aService('far', hosts)];
  const groupOf = (app: string, host: string) =>
    aGroup(app, nodes, {
      targets: nodes.map((node) => aTarget(node, { state: node.name === host ? 'healthy' : 'unhealthy' })),
    });
  const groups = [groupOf('web', 'n1'), groupOf('api', 'n2'), groupOf('far', 'n3')];
  const decidedBy = (facts: ServingFacts) => guardOf(facts, facts).decidedBy(aNode('n1'));

  test('are the Services of its pods', () => {
    expect(decidedBy(anObservation({ nodes, pods: hosts, services }, groups))).toEqual(['default/web']);
  });

  test('and those that share a budget with its pods', () => {
    const budgets = [aBudget('both', hosts.slice(0, 2), 1)];
    const shared = decidedBy(anObservation({ nodes, pods: hosts, services, budgets }, groups));
    expect(shared).toEqual(['default/web', 'default/api']);
  });

  test('under policy Cluster every Service that it is a target of', () => {
    const open = services.map((service) => ({ ...service, externalTrafficPolicy: 'Cluster' as const }));
    const all = ['default/api', 'default/far', 'default/web'];
    expect(decidedBy(anObservation({ nodes, pods: hosts, services: open }, groups)).toSorted()).toEqual(all);
  });
});

describe('a node where load balancers send nothing by their own configuration', () => {
  const unused = { n3: 'unused', n4: 'unused' } as const;
  const moved = { n3: 'absent', n4: 'absent' } as const;
  const n1Fails = pods.map((pod) => (pod.node === 'n1' ? { ...pod, ready: false } : pod));

  test.each([
    ['does not cover its zone', unused],
    ['accepts only nodes with other labels', moved],
  ])('is not blocked for what a Service lacks on other nodes when its load balancer %s', (_, states) => {
    const now = factsOf({ states, pods: n1Fails });
    expect(blocked(guardOf(now, factsOf({ states })))).toEqual(['n1', 'n2']);
  });

  test('is blocked if load balancers ever sent to it', () => {
    const now = factsOf({ states: unused, pods: n1Fails });
    expect(blocked(guardOf(now))).toEqual(names);
  });

  test('does not count when it is excluded', () => {
    const out = nodes.map((node) => (node.name === 'n3' ? { ...node, excluded: true } : node));
    const now = factsOf({ states: { n4: 'unused', n3: 'draining' }, nodes: out });
    expect(blocked(guardOf(now, factsOf({ states: unused })))).toEqual([]);
  });
});
