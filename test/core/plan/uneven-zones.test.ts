/** What the plan says of a pool whose zones have different numbers of nodes. */
import { describe, expect, test } from 'vitest';
import type { PoolFacts } from '../../../core/model/pool.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import { sameInEachZone, spreadEvenly, type ZonedSize } from '../../../core/surge/zoned-size.ts';
import { aNode, aPolicy, aPool, onePodOnEach } from '../support/facts.ts';
import { factsOf } from '../support/scene.ts';

const inZones = (...zones: readonly string[]) => zones.map((zone, index) => aNode(`n${index + 1}`, { zone }));
const uneven = inZones('a', 'a', 'a', 'b');

function planWith(
  nodes: ReturnType<typeof inZones>,
  spread: (needs: ZonedSize) => ZonedSize,
  {
    policy = {},
    newPool,
    pool = aPool(nodes),
  }: { policy?: Partial<Policy>; newPool?: PoolFacts; pool?: PoolFacts } = {},
) {
  const facts = factsOf({ nodes, pods: onePodOnEach('web', nodes), traffic: 'Cluster' });
  return buildPlan({
    policy: aPolicy(policy),
    run: 'run-1',
    pool,
    ...(newPool && { newPool }),
    provider: { lacks: {}, spread, grows: spread === sameInEachZone ? (needs) => needs : spread },
    facts,
  });
}

const told = (plan: ReturnType<typeof planWith>) =>
  plan.findings.flatMap(({ rule, severity, message }) => (rule === 'INF-021' ? [`${severity}: ${message}`] : []));

describe('three nodes in one zone and one in the other', () => {
  test('get fewer new ones where the cloud balances zones, which the plan says with numbers', () => {
    const plan = planWith(uneven, spreadEvenly);
    expect(plan.zones).toEqual({ a: 3, b: 1 });
    expect(told(plan)).toEqual([
      expect.stringMatching(/^warning: .*\(a: 3 → 2, b: 1 → 2\): pods that can't leave a may not fit there/),
    ]);
  });

  test('get as many in each zone where all zones have one size, and the plan says how many that is too many', () => {
    expect(told(planWith(uneven, sameInEachZone))).toEqual([
      expect.stringMatching(/^warning: .*\(a: 3 → 3, b: 1 → 3\): 2 nodes more than the pool has/),
    ]);
  });

  test('are nothing to speak of where the cloud gives each zone what it needs', () => {
    expect(told(planWith(uneven, (needs) => needs))).toEqual([]);
  });

  test('may move to a pool that has as many in each zone already', () => {
    const policy: Partial<Policy> = { adoptTarget: true };
    const spare = (...zones: readonly string[]) =>
      aPool(inZones(...zones).map((node) => ({ ...node, instanceId: `i-spare-${node.name}` })));
    expect(told(planWith(uneven, spreadEvenly, { policy, newPool: spare('a', 'a', 'a', 'b') }))).toEqual([]);
    expect(told(planWith(uneven, spreadEvenly, { policy, newPool: spare('a', 'a', 'b', 'b') }))).toHaveLength(1);
  });
});

describe('two nodes in one zone and one in the other', () => {
  const nodes = inZones('a', 'a', 'b');

  test('are even enough where the cloud balances zones', () => {
    const plan = planWith(nodes, spreadEvenly);
    expect(plan).not.toHaveProperty('zones');
    expect(told(plan)).toEqual([]);
  });

  test('get one more where all zones have one size, which the plan says', () => {
    const plan = planWith(nodes, sameInEachZone);
    expect(plan.zones).toEqual({ a: 2, b: 1 });
    expect(told(plan)).toEqual([expect.stringMatching(/^warning: .*\(a: 2 → 2, b: 1 → 2\): 1 node more than/)]);
  });

  test.each<[string, Partial<Policy>, PoolFacts | undefined]>([
    ['in waves', { nodeSurge: { instances: 1 } }, undefined],
    ['in a pool that exists', { adoptTarget: true }, aPool([])],
  ])('get no more %s, where zones grow one by one', (_how, policy, newPool) => {
    const plan = planWith(nodes, sameInEachZone, { policy, ...(newPool && { newPool }) });
    expect(plan.zones).toEqual({ a: 2, b: 1 });
    expect(told(plan)).toEqual([]);
  });
});

test('a zone with the only node makes a pool of as many nodes as zones, where all zones have one size', () => {
  const nodes = inZones('a');
  const pool = { ...aPool(nodes), zones: ['a', 'b', 'c'] };
  expect(told(planWith(nodes, sameInEachZone, { pool }))).toEqual([expect.stringMatching(/: 2 nodes more than/)]);
});

test.each([[['a', 'a', 'b', 'b']], [['a', 'b', 'c']]])('zones with %j are even enough for every cloud', (zones) => {
  const plan = planWith(inZones(...zones), sameInEachZone);
  expect(plan).not.toHaveProperty('zones');
  expect(told(plan)).toEqual([]);
});

test('a drain asks for no new nodes, and says nothing of zones', () => {
  const selection = { nodes: uneven.slice(0, 1).map(({ name, uid }) => ({ name, uid })), terminate: false };
  const plan = planWith(uneven, spreadEvenly, { policy: { selection } });
  expect(plan).not.toHaveProperty('zones');
  expect(told(plan)).toEqual([]);
});
