import { describe, expect, test } from 'vitest';
import { expectedEndpoints, learnBaselines, presentEndpoints } from '../../../core/guard/baseline.ts';
import { balancedLooks, type ServiceLook } from '../../../core/guard/serving.ts';
import type { NodeFacts } from '../../../core/model/node.ts';
import type { PodFacts } from '../../../core/model/pod.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { ServingFacts } from '../../../core/model/serving.ts';
import {
  aBaseline,
  aGroup,
  aLook,
  aNode,
  aPod,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  onePodOnEach,
} from '../support/facts.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
const pods = onePodOnEach('web', nodes);

interface Changes {
  readonly nodes?: readonly NodeFacts[];
  readonly pods?: readonly PodFacts[];
  readonly replicas?: number;
  readonly traffic?: ServiceFacts['externalTrafficPolicy'];
  readonly crossZone?: boolean;
  readonly unhealthy?: readonly string[];
}

/** Four nodes, each with one of the four pods of one Service, all healthy unless changed. */
function look(changes: Changes = {}): ServingFacts {
  const { nodes: all = nodes, pods: running = pods, unhealthy = [] } = changes;
  const targets = all.map((node) => aTarget(node, { state: unhealthy.includes(node.name) ? 'unhealthy' : 'healthy' }));
  const services = [aService('web', running, { externalTrafficPolicy: changes.traffic ?? 'Local' })];
  const workloads = [aWorkload('web', changes.replicas ?? 4)];
  return aLook({ nodes: all, pods: running, services, workloads }, [
    aGroup('web', all, { targets, crossZone: changes.crossZone ?? true }),
  ]);
}

const learn = (facts: ServingFacts, known = learnBaselines([], look(), aPolicy())) =>
  learnBaselines(known, facts, aPolicy());

const lookOf = (facts: ServingFacts): ServiceLook => {
  const found = balancedLooks(facts).get('default/web');
  if (found === undefined) throw new Error('no such Service');
  return found;
};

describe('what a Service was seen to serve at its best', () => {
  test('is learnt from the first look that shows it serving', () => {
    expect(learn(look(), [])).toEqual([aBaseline('web', 4)]);
    expect(learn(look({ crossZone: false }), [])).toEqual([aBaseline('web', 4, { zones: ['a', 'b'] })]);
  });

  test('is unknown of one that has never served: there is nothing to protect', () => {
    expect(learn(look({ unhealthy: nodes.map(({ name }) => name) }), [])).toEqual([]);
    expect(learn(look({ pods: [], replicas: 0 }), [])).toEqual([]);
  });

  test('says how much of its scale was missing even then', () => {
    expect(learn(look({ replicas: 6 }), [])).toEqual([aBaseline('web', 4, { missing: 2 })]);
  });

  test('counts only what callers reached under policy Local', () => {
    expect(learn(look({ unhealthy: ['n4'] }), [])).toEqual([aBaseline('web', 3, { missing: 1 })]);
  });

  test('under policy Cluster leaves the new nodes out, which come on top', () => {
    const more = [...nodes, aNode('new-1', { pool: 'web-1-34' }), aNode('new-2', { pool: 'web-1-34' })];
    expect(learn(look({ nodes: more, traffic: 'Cluster' }), [])).toEqual([aBaseline('web', 4)]);
  });

  test('grows with every better look, in each respect', () => {
    const poor = learn(look({ crossZone: false, unhealthy: ['n3', 'n4'] }), []);
    expect(poor).toEqual([aBaseline('web', 2, { missing: 2, zones: ['a'] })]);
    expect(learn(look({ crossZone: false }), poor)).toEqual([aBaseline('web', 4, { zones: ['a', 'b'] })]);
  });

  test('keeps the better of both: a look that lacks less but shows fewer targets lowers nothing', () => {
    const lacking = learn(look({ replicas: 5 }), []);
    expect(lacking).toEqual([aBaseline('web', 4, { missing: 1 })]);
    expect(learn(look({ pods: pods.slice(1), replicas: 3 }), lacking)).toEqual([aBaseline('web', 4)]);
  });

  test('never gets worse, and is the very same when a look shows nothing better', () => {
    const known = learn(look());
    expect(learn(look(), known)).toBe(known);
    expect(learn(look({ unhealthy: ['n1', 'n2'] }), known)).toBe(known);
    expect(learn(look({ pods: pods.slice(2), replicas: 2 }), known)).toBe(known);
    expect(learn(aLook({}), known)).toBe(known);
  });

  test('tells nothing of a Service without a load balancer', () => {
    expect(learn({ ...look(), targetGroups: [] }, [])).toEqual([]);
  });
});

describe('the pods that a Service should have where callers reach them', () => {
  const expected = (facts: ServingFacts, baseline = aBaseline('web', 4)) =>
    expectedEndpoints(lookOf(facts), facts, baseline);

  test('are as many as it is scaled to now, less those that were missing at its best', () => {
    expect(expected(look())).toBe(4);
    expect(expected(look({ replicas: 12 }))).toBe(12);
    expect(expected(look({ replicas: 0 }))).toBe(0);
    expect(expected(look({ replicas: 6 }), aBaseline('web', 4, { missing: 1 }))).toBe(5);
    expect(expected(look({ replicas: 0 }), aBaseline('web', 4, { missing: 1 }))).toBe(0);
  });

  test('are as many as before when nothing fits its selector any more', () => {
    const services = [aService('web', [], { selector: { app: 'wbe' } })];
    const facts = aLook({ nodes, pods, services, workloads: [aWorkload('web', 4)] }, [aGroup('web', nodes)]);
    expect(expected(facts)).toBe(4);
  });
});

describe('the pods that callers reach', () => {
  const present = (facts: ServingFacts) => presentEndpoints(lookOf(facts), facts);

  test('are the ready ones on nodes that serve', () => {
    expect(present(look())).toBe(4);
    expect(present(look({ unhealthy: ['n4'] }))).toBe(3);
    expect(present(look({ pods: [...pods, aPod('web-5', 'n1'), aPod('web-6', 'n1', { ready: false })] }))).toBe(5);
  });

  test('are also those whose node somebody has taken out: they lack nothing but their node', () => {
    const out = nodes.map((node) => (node.name === 'n4' ? { ...node, excluded: true } : node));
    expect(present(look({ nodes: out, unhealthy: ['n4'] }))).toBe(4);
  });
});
