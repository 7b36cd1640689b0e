import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Assumption } from '../../../core/guard/assumption.ts';
import { type Guard, openGuard } from '../../../core/guard/guard.ts';
import { surgedFacts } from '../../../core/plan/surged-facts.ts';
import { compareText } from '../../../core/text/format.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  nodeRefOf,
  withMinServing,
  withPodSurge,
} from '../support/facts.ts';
import type { NodeFacts, NodeRef, PodFacts, ServingFacts } from '../support/model.ts';
import { factsOf, learned, nodes, pods, type Scene } from '../support/scene.ts';

interface Terms extends Pick<Scene, 'traffic' | 'crossZone'> {
  /** Serving targets that must stay. */
  readonly minServing?: number;
  /** Pods that a budget requires. */
  readonly demanded?: number;
  /** Names of the nodes whose pod is not Ready and whose target is unhealthy. */
  readonly failing?: readonly string[];
}

/** The guard on four nodes that serve one Service, each of which was observed to serve before. */
function open({ minServing = 1, demanded, failing = [], ...scene }: Terms = {}): Guard {
  const policy = aPolicy(withMinServing(minServing));
  const observe = (away: readonly string[]) => {
    const seen = pods.map((pod) => ({ ...pod, ready: !away.includes(pod.node ?? '') }));
    const budgets = demanded === undefined ? [] : [aBudget('web', seen, demanded)];
    const states = Object.fromEntries(away.map((name) => [name, 'unhealthy' as const]));
    return factsOf({ ...scene, pods: seen, budgets, states });
  };
  const baselines = learned(observe([]), policy);
  return openGuard({ facts: observe(failing), policy, baselines, inFlight: [], waiting: nodes.map(nodeRefOf) });
}

/** Everything that a guard says about these nodes, and its figures. */
function answersOf(guard: Guard, asked: readonly NodeRef[] = nodes) {
  return structuredClone({
    services: guard.services.map(({ state, targets, perZone, comparison, minServing }) => ({
      key: state.service.key,
      targets,
      perZone: sorted(perZone),
      comparison,
      least: { targets: minServing.targets, perZone: minServing.perZone },
    })),
    budgets: guard.budgets.map(({ name, has, needs, takenWith }) => ({
      name,
      has,
      needs,
      takenWith: asked.map((node) => takenWith.get(node.name) ?? 0),
    })),
    nodes: asked.map((node) => ({
      block: guard.findBlock(node),
      decidedBy: guard.decidedBy(node).toSorted(),
      servedBy: guard.servedBy(node).map(({ state }) => state.service.key),
      chargedBy: guard.chargedBy(node).map(({ name }) => name),
    })),
  });
}

/** Zones that have a target. */
function sorted(perZone: ReadonlyMap<string, number>) {
  return [...perZone].filter(([, targets]) => targets > 0).toSorted(([a], [b]) => compareText(a, b));
}

const heldBy = (guard: Guard) =>
  nodes.flatMap((node) => {
    const limit = guard.findBlock(node)?.limit;
    return limit === undefined ? [] : [`${node.name} ${limit}`];
  });
const [n1, n2, n3] = nodes as [NodeFacts, NodeFacts, NodeFacts, NodeFacts];

describe('a guard under an assumption', () => {
  test('subtracts excluded nodes from what serves, each once', () => {
    const guard = open({ minServing: 2 });
    expect(heldBy(guard)).toEqual([]);
    const without = guard.assume({ excluded: [n1, n2] });
    expect(without.services[0]).toMatchObject({ targets: 2 });
    expect(heldBy(without)).toEqual(['n3 targets', 'n4 targets']);
    expect(without.assume({ excluded: [n1] }).services[0]).toMatchObject({ targets: 2 });
  });

  test('subtracts them from their zone and from budgets', () => {
    const zones = open({ crossZone: false }).assume({ excluded: [n1] });
    expect(heldBy(zones)).toEqual(['n2 zone']);
    const budgets = open({ demanded: 3 }).assume({ excluded: [n1] });
    expect(budgets.budgets[0]).toMatchObject({ has: 3, needs: 3 });
    expect(heldBy(budgets)).toEqual(['n2 endpoints', 'n3 endpoints', 'n4 endpoints']);
  });

  test('under policy Cluster does not block a node that has a new node beside it, and others are blocked as before', () => {
    const joined = { joined: [n1, n2, n3] };
    expect(heldBy(open({ traffic: 'Cluster', minServing: 4 }))).toHaveLength(4);
    expect(heldBy(open({ traffic: 'Cluster', minServing: 4 }).assume(joined))).toEqual([]);
    expect(heldBy(open({ minServing: 4 }).assume(joined))).toHaveLength(4);
  });

  test('counts replacements for Services, zones and budgets', () => {
    const [pod] = pods;
    const replaced = pod === undefined ? [] : [pod];
    expect(heldBy(open({ minServing: 4 }).assume({ replaced }))).toEqual([]);
    expect(heldBy(open({ demanded: 4 }))).toHaveLength(4);
    expect(heldBy(open({ demanded: 4 }).assume({ replaced }))).toEqual([]);
    const zones = open({ crossZone: false }).assume({ excluded: [n2, n3], replaced });
    expect(heldBy(zones)).toEqual(['n4 zone']);
  });

  test('counts all replacements from one node as one target, because they are on one new node', () => {
    const both = [aPod('web-1', 'n1'), aPod('web-5', 'n1')];
    expect(open().assume({ replaced: both }).services[0]).toMatchObject({ targets: 5 });
  });

  test('blocks no node for what a Service lacks of its baseline, once that has recovered', () => {
    const guard = open({ failing: ['n4'] });
    expect(heldBy(guard)).toEqual(['n4 best']);
    expect(heldBy(guard.assume({ recovered: true }))).toEqual([]);
    expect(heldBy(guard.assume({ replaced: pods.slice(0, 1) }))).toEqual([]);
  });
});

const zones = ['a', 'b'] as const;
const six = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const shape = fc.record({
  zones: fc.array(fc.constantFrom(...zones), { minLength: 6, maxLength: 6 }),
  /** Node and readiness of the pods of two Services. */
  web: fc.array(fc.tuple(fc.constantFrom(...six), fc.boolean()), { minLength: 1, maxLength: 8 }),
  api: fc.array(fc.tuple(fc.constantFrom(...six), fc.boolean()), { minLength: 1, maxLength: 8 }),
  traffic: fc.tuple(fc.constantFrom('Local', 'Cluster'), fc.constantFrom('Local', 'Cluster')),
  crossZone: fc.boolean(),
  demanded: fc.nat(8),
  failing: fc.subarray(six),
  excluded: fc.subarray(six),
  assumed: fc.subarray(six),
  others: fc.subarray(six),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

/** Two Services with a load balancer each, and a budget over the pods of both. */
function build({ allReady = false, ...drawn }: Shape & { readonly allReady?: boolean }) {
  const all = six.map((name, index) =>
    aNode(name, { zone: drawn.zones[index] ?? 'a', excluded: !allReady && drawn.excluded.includes(name) }),
  );
  const podsOf = (app: 'web' | 'api'): readonly PodFacts[] =>
    drawn[app].map(([node, ready], index) => aPod(`${app}-${index}`, node, { ready: allReady || ready }));
  const [web, api] = [podsOf('web'), podsOf('api')];
  const services = [
    aService('web', web, { externalTrafficPolicy: drawn.traffic[0] }),
    aService('api', api, { externalTrafficPolicy: drawn.traffic[1] }),
  ];
  const targets = all.map((node) =>
    aTarget(node, { state: !allReady && drawn.failing.includes(node.name) ? 'unhealthy' : 'healthy' }),
  );
  const groups = ['web', 'api'].map((app) => aGroup(app, all, { targets, crossZone: drawn.crossZone }));
  const workloads = [aWorkload('web', web.length), aWorkload('api', api.length)];
  const budgets = [aBudget('both', [...web, ...api], drawn.demanded), aBudget('web', web, 1)];
  const facts = anObservation({ nodes: all, pods: [...web, ...api], services, budgets, workloads }, groups);
  const pick = (some: readonly string[]) => all.filter(({ name }) => some.includes(name));
  return { all, facts, assumed: pick(drawn.assumed), others: pick(drawn.others) };
}

describe('on any facts', () => {
  const policy = aPolicy();

  function openOn(facts: ServingFacts, inFlight: readonly NodeRef[], before: ServingFacts): Guard {
    const baselines = learned(before, policy);
    return openGuard({ facts, policy, baselines, inFlight, waiting: six.map((name) => aNode(name)) });
  }

  test('nodes that are assumed to be excluded count like nodes in flight', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        const { all, facts, assumed, others } = build(drawn);
        const before = build({ ...drawn, allReady: true }).facts;
        const counted = openOn(facts, [...others, ...assumed], before);
        const taken = openOn(facts, others, before).assume({ excluded: assumed });
        expect(answersOf(taken, all)).toEqual(answersOf(counted, all));
      }),
    );
  });

  test('replaced pods count like facts in which their replacements run', () => {
    const terms = { policy: aPolicy(withPodSurge(1)), sharedVolumeClaims: new Set<string>(), denials: new Map() };
    fc.assert(
      fc.property(shape, (drawn) => {
        const { all, facts, assumed } = build({ ...drawn, allReady: true });
        const after = surgedFacts({ ...terms, facts, batch: assumed });
        const left = new Set(after.cluster.pods.map(({ name }) => name.replace(' (new)', '')));
        const twins = new Set(after.cluster.pods.flatMap(({ name }) => (name.endsWith(' (new)') ? [name] : [])));
        const replaced = facts.cluster.pods.filter(({ name }) => left.has(name) && twins.has(`${name} (new)`));
        const taken = openOn(facts, [], facts).assume({ replaced });
        expect(answersOf(taken, all)).toEqual(answersOf(openOn(after, [], facts), all));
      }),
    );
  });

  test('nodes that are assumed to have joined count like facts in which they have', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        const { all, facts, assumed } = build({ ...drawn, allReady: true, traffic: ['Cluster', 'Cluster'] });
        const twins = assumed.map((node) =>
          aNode(`${node.name} (new)`, { zone: node.zone, pool: policy.target.poolName }),
        );
        const after = {
          ...facts,
          cluster: { ...facts.cluster, nodes: [...all, ...twins] },
          targetGroups: facts.targetGroups.map((group) => ({
            ...group,
            targets: [...group.targets, ...twins.map((node) => aTarget(node))],
          })),
        };
        const taken = openOn(facts, [], facts).assume({ joined: assumed });
        expect(answersOf(taken, all)).toEqual(answersOf(openOn(after, [], facts), all));
      }),
    );
  });

  test('no assumption changes the guard that it was made of', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        const { all, facts, assumed, others } = build(drawn);
        const guard = openOn(facts, others, build({ ...drawn, allReady: true }).facts);
        const before = answersOf(guard, all);
        const assumption: Assumption = {
          excluded: assumed,
          joined: all,
          replaced: facts.cluster.pods,
          recovered: true,
        };
        guard.assume(assumption).assume(assumption);
        expect(answersOf(guard, all)).toEqual(before);
      }),
    );
  });
});
