/** A load balancer has a target group for each port. One whose health check fails for good must not hide what the others serve. */
import { describe, expect, test } from 'vitest';
import { learnBaselines, type ServiceBaseline } from '../../../core/guard/baseline.ts';
import { type Guard, openGuard } from '../../../core/guard/guard.ts';
import { findRevocation } from '../../../core/guard/revocation.ts';
import { noteSilent } from '../../../core/guard/silent-groups.ts';
import { aGroup, aNode, aPolicy, aTarget, nodeRefOf } from '../support/facts.ts';
import type { Policy, ServingFacts, TargetState } from '../support/model.ts';
import { blockOf, factsOf, names, nodes, pods, type Scene } from '../support/scene.ts';

/** State of each node in the group of port 80, beside the one of the scene. */
type Port80 = Readonly<Record<string, TargetState>>;

const all = (state: TargetState): Port80 => Object.fromEntries(names.map((name) => [name, state]));
const dead = all('unhealthy');

/** Policy Cluster, and a second group. */
function twoPorts(states: Port80 = dead, scene: Scene = {}): ServingFacts {
  const facts = factsOf({ traffic: 'Cluster', ...scene });
  const targets = nodes.map((node) => aTarget(node, { port: 30_080, state: states[node.name] ?? 'healthy' }));
  const second = aGroup('web', nodes, { id: 'arn:port-80', name: 'port-80', targets });
  return { ...facts, targetGroups: [...facts.targetGroups, second] };
}

/** What a run knows after these observations, in order. */
function learnt(observations: readonly ServingFacts[], policy = aPolicy()): readonly ServiceBaseline[] {
  return observations.reduce<readonly ServiceBaseline[]>(
    (known, facts) => learnBaselines(known, noted(facts, known), policy),
    [],
  );
}

function noted(facts: ServingFacts, baselines: readonly ServiceBaseline[]): ServingFacts {
  return { ...facts, targetGroups: noteSilent(facts.targetGroups, baselines) };
}

function guardAfter(observations: readonly ServingFacts[], change: Partial<Policy> = {}, out = 0): Guard {
  const policy = aPolicy(change);
  const baselines = learnt(observations, policy);
  const facts = noted(observations.at(-1) ?? factsOf(), baselines);
  const inFlight = nodes.slice(0, out).map(nodeRefOf);
  return openGuard({ facts, policy, baselines, inFlight, waiting: nodes });
}

describe.each(['Local', 'Cluster'] as const)('a Service of policy %s whose port 80 never answers', (traffic) => {
  const facts = twoPorts(dead, { traffic });

  test('is protected by its other groups', () => {
    expect(learnt([facts])).toMatchObject([{ targets: 4, groups: ['arn:web'] }]);
    expect(blockOf(guardAfter([facts]), 'n1')).toBeUndefined();
    expect(blockOf(guardAfter([facts], {}, 1), 'n2')).toMatchObject({ limit: 'targets', needs: 3, has: 3 });
  });

  test('keeps the minimum that the policy sets', () => {
    const guard = { ...aPolicy().guard, minServing: { 'default/web': { targets: 4 } } };
    expect(blockOf(guardAfter([facts], { guard }), 'n1')).toMatchObject({ needs: 4, has: 4, source: 'policy' });
  });

  test('keeps a target in each zone that needs one', () => {
    const guard = { ...aPolicy().guard, minServing: { 'default/web': { targets: 1 } } };
    const zonal = twoPorts(dead, { traffic, crossZone: false });
    expect(blockOf(guardAfter([zonal], { guard }, 1), 'n2')).toMatchObject({ limit: 'zone', zone: 'a', needs: 1 });
  });

  test('gets an excluded node back when others fail', () => {
    const changed = { n1: { excluded: true }, n2: { ready: false }, n3: { ready: false } };
    const baselines = learnt([facts]);
    const now = noted(twoPorts(dead, { traffic, changed, states: { n1: 'draining' } }), baselines);
    const node = nodeRefOf(aNode('n1'));
    expect(findRevocation({ node, facts: now, policy: aPolicy(), baselines })).toContain(
      'default/web has 1 serving targets without it and must keep 3',
    );
  });
});

describe('a group', () => {
  test('that was healthy counts for good, even if that was after the first observation', () => {
    const guard = guardAfter([twoPorts(), twoPorts({}), twoPorts()]);
    expect(blockOf(guard, 'n1')).toMatchObject({ limit: 'targets', needs: 3, has: 0 });
  });

  test('that was healthy while nothing served in all groups counts too', () => {
    const unhealthy = { states: all('unhealthy') };
    expect(learnt([twoPorts(), twoPorts({}, unhealthy)])).toMatchObject([{ groups: ['arn:port-80', 'arn:web'] }]);
  });

  test('of a Service whose groups all served is told apart from one that never did', () => {
    const [baseline] = learnt([twoPorts({}), twoPorts()]);
    expect(baseline).not.toHaveProperty('groups');
    expect(blockOf(guardAfter([twoPorts({}), twoPorts()]), 'n1')).toMatchObject({ needs: 3, has: 0 });
  });

  test('that is not counted still keeps a target that its controller would not deregister', () => {
    const draining = twoPorts({ ...dead, n1: 'unhealthy.draining' });
    const targetGroups = draining.targetGroups.map((group) => ({ ...group, strandsDraining: true }));
    expect(blockOf(guardAfter([{ ...draining, targetGroups }]), 'n1')).toMatchObject({ limit: 'stuck-target' });
  });
});

/** As behind a load balancer that sends a PROXY header to the health check of kube-proxy: it sends to all of them then. */
describe.each(['Local', 'Cluster'] as const)('a Service of policy %s without any healthy target', (traffic) => {
  const facts = twoPorts(dead, { traffic, states: all('unhealthy') });

  test('counts its registered targets', () => {
    expect(learnt([facts])).toMatchObject([{ targets: 4, groups: [] }]);
    expect(blockOf(guardAfter([facts]), 'n1')).toBeUndefined();
    expect(blockOf(guardAfter([facts], {}, 1), 'n2')).toMatchObject({ limit: 'targets', needs: 3, has: 3 });
  });

  test('counts those that are checked and do not drain, on nodes that are Ready', () => {
    const some = { ...dead, n1: 'initial', n2: 'draining' } as const;
    const changed = { n4: { ready: false } };
    expect(learnt([twoPorts(some, { traffic, states: all('unhealthy'), changed })])).toMatchObject([{ targets: 1 }]);
  });

  test('counts none as long as no pod answers', () => {
    const down = pods.map((pod) => ({ ...pod, ready: false }));
    expect(learnt([twoPorts(dead, { traffic, states: all('unhealthy'), pods: down })])).toEqual([]);
  });

  test('counts the healthy ones alone once there is one', () => {
    const recovering = twoPorts(
      { ...dead, n1: 'healthy' },
      { traffic, states: { ...all('unhealthy'), n1: 'healthy' } },
    );
    const guard = guardAfter([facts, recovering]);
    expect(blockOf(guard, 'n1')).toMatchObject({ limit: 'targets', needs: 3, has: 1 });
  });
});
