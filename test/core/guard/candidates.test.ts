/** Zones in which load balancers have pods as targets, only as long as they have a candidate node. */
import { describe, expect, test } from 'vitest';
import { explainBlock } from '../../../core/guard/block.ts';
import { openGuard } from '../../../core/guard/guard.ts';
import { findRevocation } from '../../../core/guard/revocation.ts';
import { chooseTogether } from '../../../core/guard/together.ts';
import { aNode, aPod, aPolicy, aService, withGuard } from '../support/facts.ts';
import type { NodeFacts, NodeRef, ServiceFacts, ServingFacts } from '../support/model.ts';
import { blocked, blockOf, factsOf, nodes, pods } from '../support/scene.ts';

const inBoth = { names: ['pods-shop'], zones: ['a', 'b'], zonesNeedCandidate: true };

/** No load balancer has nodes as targets. Two nodes are in zone `a` and in zone `b`; a pod of `shop` is on a node of another pool, in zone `b`, that is excluded for good. */
function sceneOf(changed: Readonly<Record<string, Partial<NodeFacts>>> = {}, service: Partial<ServiceFacts> = {}) {
  const shop = aPod('shop-1', 'other');
  const other = aNode('other', { zone: 'b', pool: 'other', excluded: true });
  const all = [...nodes, other].map((node) => ({ ...node, ...changed[node.name] }));
  const running = [...pods, shop];
  const services = [
    aService('web', running, { externalTrafficPolicy: 'Cluster' }),
    aService('shop', running, { type: 'ClusterIP', externalTrafficPolicy: 'Cluster', podGroups: inBoth, ...service }),
  ];
  return { ...factsOf({ nodes: all, pods: running, cluster: { services } }), targetGroups: [] };
}

const guardIn = (facts: ServingFacts, inFlight: readonly NodeRef[] = []) =>
  openGuard({ facts, policy: aPolicy(), baselines: [], inFlight, waiting: nodes });
const keptBy = (...scene: Parameters<typeof sceneOf>) => blocked(guardIn(sceneOf(...scene)));

describe('the last candidate node of a zone with such pods', () => {
  test.each([
    ['is not there yet while the zone has two', {}, []],
    ['stays when the other one is excluded', { n3: { excluded: true } }, ['n4']],
    ['stays when the other one has the exclude label, although it says no', { n3: { deniesExclusion: true } }, ['n4']],
    ['stays when the other one is not Ready', { n3: { ready: false } }, ['n4']],
    [
      'stays when the other one is about to be deleted',
      { n3: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } },
      ['n4'],
    ],
    ['may leave when the other one is only cordoned', { n3: { cordoned: true } }, []],
    ['may leave when a node of another pool is one', { n3: { excluded: true }, other: { excluded: false } }, []],
    ['may leave in a zone without such pods', { n1: { excluded: true } }, []],
  ] as const)('%s', (_, changed, kept) => {
    expect(keptBy(changed)).toEqual(kept);
  });

  test.each([
    ['without such pods', { podGroups: undefined }],
    ['whose pods stay in any case', { podGroups: { ...inBoth, zonesNeedCandidate: false } }],
    ['that has no group there', { podGroups: { ...inBoth, zones: ['a'] } }],
  ] as const)('may leave for a Service %s', (_, { podGroups }) => {
    const without = podGroups === undefined ? { endpoints: [] } : { podGroups };
    expect(keptBy({ n3: { excluded: true } }, without)).toEqual([]);
  });

  test('is blocked with a reason', () => {
    const block = blockOf(guardIn(sceneOf({ n3: { excluded: true } })), 'n4');
    expect(block && explainBlock(block)).toBe(
      'n4 waits: it is the last candidate node of b, and without one all pods of default/shop there would be taken out of pods-shop',
    );
  });
});

test('the candidates of a zone never leave all together', () => {
  const facts = sceneOf();
  const policy = aPolicy(withGuard({ maxInFlight: 4 }));
  const question = { facts, policy, baselines: [], inFlight: [], waiting: nodes.slice(2), stableSince: {} };
  expect([...chooseTogether(question, 4)].map(({ name }) => name)).toEqual(['n3']);
});

test('nodes in flight are no candidates any more, and those that a plan expects to join are', () => {
  const [, , n3, n4] = nodes;
  if (n3 === undefined || n4 === undefined) throw new Error('no nodes');
  const guard = guardIn(sceneOf(), [n3]);
  expect(guard.findBlock(n4)?.limit).toBe('candidate');
  expect(guard.assume({ joined: [n3] }).findBlock(n4)).toBeUndefined();
});

test('an excluded node is restored when the other candidates of its zone have failed since', () => {
  const [, , , n4] = nodes;
  if (n4 === undefined) throw new Error('no node');
  const revocation = (n3: Partial<NodeFacts>, rules: readonly 'capacity-guard'[] = []) => {
    const policy = aPolicy({ disabledRules: rules });
    const facts = sceneOf({ n3, n4: { excluded: true } });
    return findRevocation({ node: n4, facts, policy, baselines: [] });
  };
  expect(revocation({})).toBeUndefined();
  expect(revocation({ ready: false })).toBe('no candidate node is left in b, where pods-shop has pods of default/shop');
  expect(revocation({ ready: false }, ['capacity-guard'])).toBeUndefined();
});
