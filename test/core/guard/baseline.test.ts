import { describe, expect, test } from 'vitest';
import { expectedEndpoints, learnBaselines, reachableEndpoints } from '../../../core/guard/baseline.ts';
import { type ServiceState, serviceStates } from '../../../core/guard/serving.ts';
import { aBaseline, aNode, anObservation, aPod, aPolicy, aWorkload, released } from '../support/facts.ts';
import type { ServingFacts } from '../support/model.ts';
import { factsOf, learned, names, nodes, pods, type Scene } from '../support/scene.ts';

interface Changes extends Scene {
  /** What the workload is scaled to. */
  readonly replicas?: number;
  readonly unhealthy?: readonly string[];
  readonly unused?: readonly string[];
}

/** One Service on four nodes, with other targets and another scale. */
function state({ replicas = 4, unhealthy = [], unused = [], ...scene }: Changes = {}): ServingFacts {
  const states = Object.fromEntries([
    ...names.map((name) => [name, 'healthy' as const]),
    ...unhealthy.map((name) => [name, 'unhealthy' as const]),
    ...unused.map((name) => [name, 'unused' as const]),
  ]);
  return factsOf({ workloads: [aWorkload('web', replicas)], states, ...scene });
}

const learn = (facts: ServingFacts, known = learned(state())) => learnBaselines(known, facts, aPolicy());

const stateIn = (facts: ServingFacts): ServiceState => {
  const found = serviceStates(facts).get('default/web');
  if (found === undefined) throw new Error('no such Service');
  return found;
};

describe('the baseline of a Service', () => {
  test('comes from the first observation in which it serves', () => {
    expect(learn(state(), [])).toEqual([aBaseline('web', 4)]);
    expect(learn(state({ crossZone: false }), [])).toEqual([aBaseline('web', 4, { zones: ['a', 'b'] })]);
  });

  test('does not exist for one that has never served: there is nothing to protect', () => {
    expect(learn(state({ unhealthy: nodes.map(({ name }) => name) }), [])).toEqual([]);
    expect(learn(state({ pods: [], replicas: 0 }), [])).toEqual([]);
  });

  test('says how much of its scale was missing even then', () => {
    expect(learn(state({ replicas: 6 }), [])).toEqual([aBaseline('web', 4, { missing: 2 })]);
  });

  test('counts only what callers reached under policy Local', () => {
    expect(learn(state({ unhealthy: ['n4'] }), [])).toEqual([aBaseline('web', 3, { missing: 1 })]);
  });

  test('under policy Cluster leaves the new nodes out, which come on top', () => {
    const more = [...nodes, aNode('new-1', { pool: 'web-1-34' }), aNode('new-2', { pool: 'web-1-34' })];
    expect(learn(state({ nodes: more, traffic: 'Cluster' }), [])).toEqual([aBaseline('web', 4)]);
  });

  test('under policy Cluster leaves out what other runs bring up as well', () => {
    const more = [...nodes, aNode('other-1', { pool: 'blue-1-34' }), aNode('other-2', { pool: 'blue' })];
    const facts = state({ nodes: more, traffic: 'Cluster' });
    expect(learn({ ...facts, incomingPools: ['blue-1-34'] }, [])).toMatchObject([{ targets: 5 }]);
    expect(learn(facts, []), 'nobody brings it up').toMatchObject([{ targets: 6 }]);
  });

  test('grows with every better observation, in each respect', () => {
    const poor = learn(state({ crossZone: false, unhealthy: ['n3', 'n4'] }), []);
    expect(poor).toEqual([aBaseline('web', 2, { missing: 2, zones: ['a'] })]);
    expect(learn(state({ crossZone: false }), poor)).toEqual([aBaseline('web', 4, { zones: ['a', 'b'] })]);
  });

  test('keeps the better of both: an observation that lacks less but shows fewer targets lowers nothing', () => {
    const lacking = learn(state({ replicas: 5 }), []);
    expect(lacking).toEqual([aBaseline('web', 4, { missing: 1 })]);
    expect(learn(state({ pods: pods.slice(1), replicas: 3 }), lacking)).toEqual([aBaseline('web', 4)]);
  });

  test('never gets worse, and is the same object when an observation shows nothing better', () => {
    const known = learn(state());
    expect(learn(state(), known)).toBe(known);
    expect(learn(state({ unhealthy: ['n1', 'n2'] }), known)).toBe(known);
    expect(learn(state({ pods: pods.slice(2), replicas: 2 }), known)).toBe(known);
    expect(learn(anObservation({}), known)).toBe(known);
  });

  test('does not grow by pods that have come from where load balancers send nothing', () => {
    const unused = ['n3', 'n4'];
    const known = learn(state({ unused }), []);
    expect(known).toEqual([aBaseline('web', 2, { missing: 2, unreached: { 'web/b': 2 } })]);
    const moved = [...nodes, aNode('new-1', { pool: 'web-1-34' })];
    const there = pods.map((pod) => (pod.node === 'n3' ? { ...pod, node: 'new-1' } : pod));
    expect(learn(state({ nodes: moved, pods: there, unused }), known)).toMatchObject([
      { missing: 2, unreached: { 'web/b': 2 } },
    ]);
    expect(learn(state(), known), 'the zone is covered by now').toEqual([aBaseline('web', 4)]);
    expect(learn(state({ pods: pods.slice(0, 2), replicas: 2, unused }), known)).toMatchObject([{ missing: 0 }]);
  });

  test('counts released pods or their replacements, never both', () => {
    const fresh = ['a', 'a', 'b'].map((zone, index) => aNode(`new-${index + 1}`, { pool: 'web-1-34', zone }));
    const known = learn(state({ pods: pods.slice(1) }), []);
    expect(known).toEqual([aBaseline('web', 3, { missing: 1 })]);
    const leaving = pods.slice(1).map((pod) => ({ ...pod, ...released(pod.name, 'run') }));
    const standIns = fresh.map(({ name }, index) => aPod(`web-${index + 5}`, name));
    expect(learn(state({ nodes: [...nodes, ...fresh], pods: [...leaving, ...standIns] }), known)).toBe(known);
  });

  test('does not exist for a Service without a load balancer', () => {
    expect(learn({ ...state(), targetGroups: [] }, [])).toEqual([]);
  });
});

describe('a Service without any workload or pod', () => {
  const settles = aPolicy().waits.stabilizationAfterOutageMs;
  const gone = (observedAt: number, changes: Changes = {}) =>
    state({ pods: [], workloads: [], unhealthy: nodes.map(({ name }) => name), observedAt, ...changes });

  test('has nothing to protect any more once observations have agreed on that for a while', () => {
    const once = learn(gone(1_000));
    expect(once).toMatchObject([{ service: 'default/web', targets: 4, goneSince: 1_000 }]);
    expect(learn(gone(settles), once)).toBe(once);
    expect(learn(gone(1_000 + settles), once)).toEqual([]);
  });

  test('has its previous baseline as soon as it has one again', () => {
    const once = learn(gone(1_000));
    expect(learn(gone(2_000, { workloads: [aWorkload('web', 4)] }), once)).toEqual([aBaseline('web', 4)]);
    expect(learn(gone(2_000, { pods: [aPod('web-1', 'n1', { ready: false })] }), once)).toEqual([aBaseline('web', 4)]);
  });

  test('is not taken as gone during an outage', () => {
    const once = learn(gone(1_000));
    const outageAt = settles;
    const away = learn(gone(1_000 + settles, { cluster: { outageAt } }), once);
    expect(away).toEqual([aBaseline('web', 4)]);
    expect(learn(gone(2 * settles + 1, { cluster: { outageAt } }), away)).toMatchObject([
      { goneSince: 2 * settles + 1 },
    ]);
  });
});

describe('the pods that a Service should have where callers reach them', () => {
  const expected = (facts: ServingFacts, baseline = aBaseline('web', 4)) =>
    expectedEndpoints(stateIn(facts), facts, baseline);

  test('are as many as it is scaled to now, less those that its baseline lacked', () => {
    expect(expected(state())).toBe(4);
    expect(expected(state({ replicas: 12 }))).toBe(12);
    expect(expected(state({ replicas: 0 }))).toBe(0);
    expect(expected(state({ replicas: 6 }), aBaseline('web', 4, { missing: 1 }))).toBe(5);
    expect(expected(state({ replicas: 0 }), aBaseline('web', 4, { missing: 1 }))).toBe(0);
  });

  test('are as many as before when nothing matches its selector any more', () => {
    expect(expected(state({ service: { selector: { app: 'wbe' }, endpoints: [] } }))).toBe(4);
  });
});

describe('the pods that callers reach', () => {
  const present = (facts: ServingFacts) => reachableEndpoints(stateIn(facts), facts);

  test('are the ready ones on nodes that serve', () => {
    expect(present(state())).toBe(4);
    expect(present(state({ unhealthy: ['n4'] }))).toBe(3);
    expect(present(state({ pods: [...pods, aPod('web-5', 'n1'), aPod('web-6', 'n1', { ready: false })] }))).toBe(5);
  });

  test('are also those whose node somebody has excluded: nothing else is missing', () => {
    const out = nodes.map((node) => (node.name === 'n4' ? { ...node, excluded: true } : node));
    expect(present(state({ nodes: out, unhealthy: ['n4'] }))).toBe(4);
  });
});
