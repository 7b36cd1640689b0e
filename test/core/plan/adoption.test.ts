import { describe, expect, test } from 'vitest';
import type { Lacks, PoolFacts } from '../../../core/model/pool.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import { withFound } from '../../../core/policy/members.ts';
import { spreadEvenly } from '../../../core/surge/zoned-size.ts';
import { aNode, aPod, aPolicy, aPool } from '../support/facts.ts';
import type { NodeFacts, PodFacts } from '../support/model.ts';
import { factsOf } from '../support/scene.ts';

const policy = { ...aPolicy(), adoptTarget: true as const };
const { poolName } = policy.target;

/** An idle node of the pool to adopt, in zone `a` or `b`. */
const idle = (name: string, changes: Partial<NodeFacts> = {}) => aNode(name, { pool: poolName, ...changes });
const idleNodes = [idle('m1'), idle('m2', { zone: 'b' })];

interface Changes {
  readonly nodes?: readonly NodeFacts[];
  readonly pod?: Partial<PodFacts>;
  readonly pool?: Partial<PoolFacts> | 'none';
  readonly incomingPools?: readonly string[];
}

/** The plan of a run that adopts a pool of two idle nodes, which may have four. */
function planWith({ nodes = idleNodes, pod = {}, pool, incomingPools = [] }: Changes = {}) {
  const facts = factsOf({ traffic: 'Cluster' });
  const old = facts.cluster.nodes;
  const pods = [...facts.cluster.pods, aPod('extra-1', old[0]?.name, pod)];
  const cluster = { ...facts.cluster, nodes: [...old, ...nodes], pods };
  const ref = { ...aPool(old).ref, name: poolName };
  const newPool = { ...aPool(idleNodes), ref, desiredSize: 2, maxSize: 4, zones: ['a', 'b', 'c', 'd'] };
  return buildPlan({
    policy: withFound(policy, cluster),
    run: 'run-1',
    pool: aPool(old),
    ...(pool === 'none' ? {} : { newPool: { ...newPool, ...pool } }),
    facts: { ...facts, cluster, incomingPools },
  });
}

const blockersOf = (changes?: Changes) =>
  planWith(changes).findings.flatMap(({ severity, rule, message }) =>
    severity === 'blocker' ? [`${rule} ${message}`] : [],
  );

describe('a pool to adopt', () => {
  test('is planned with the nodes that it has', () => {
    const plan = planWith({ pool: { version: '1.36' } });
    expect(blockersOf()).toEqual([]);
    expect(plan).toMatchObject({ foundSize: 2, surge: 4, newPool: { name: poolName } });
    expect(plan.policy.found).toEqual(idleNodes.map(({ uid, instanceId }) => ({ uid, instanceId })));
  });

  test.each<[string, Changes, string]>([
    ['does not exist', { pool: 'none' }, 'INF-019 there is no pool'],
    ['was created by a run', { pool: { createdBy: 'run-0' } }, 'INF-019 run run-0 created it'],
    ['is being changed', { pool: { status: 'updating' } }, 'INF-019 its status is updating'],
    ['has instances that are nodes of no or another cluster', { nodes: [] }, 'INF-019 i-m1, i-m2 of it are not nodes'],
    [
      'may not have as many nodes',
      { pool: { maxSize: 3 } },
      'INF-019 it has 2 instances and may have 3, and web has 4',
    ],
    ['lacks a zone', { pool: { zones: ['x'] } }, 'INF-019 it has no nodes in a'],
    ['is where another run moves to', { incomingPools: [poolName] }, 'INF-019 another run moves nodes to it'],
    ['has a cordoned node', { nodes: [idle('m1'), idle('m2', { cordoned: true })] }, 'INF-019 m2 of it is cordoned'],
    [
      'has nodes that lack a label',
      { pod: { requiredNodeLabels: { disk: ['ssd'] } } },
      `WKL-019 no node of ${poolName} takes it: it needs disk=ssd`,
    ],
    [
      'has nodes with a taint',
      { nodes: idleNodes.map((node) => ({ ...node, taints: [{ key: 'batch', effect: 'NoSchedule' }] })) },
      `WKL-019 no node of ${poolName} takes it: it does not tolerate their taints`,
    ],
  ])('is refused when it %s', (_name, changes, message) => {
    expect(blockersOf(changes)).toContainEqual(expect.stringContaining(message));
  });

  test('may have any nodes that some of its own take', () => {
    const labels = { disk: 'ssd' };
    const pod = { requiredNodeLabels: { disk: ['ssd'] } };
    expect(blockersOf({ nodes: [idle('m1', { labels }), idle('m2')], pod })).toEqual([]);
  });
});

describe('a pool to be replaced in place', () => {
  const named = aPolicy({ target: { poolName: 'web', version: '1.36' } });
  const planIn = ({ lacks = {}, instances }: { lacks?: Lacks; instances?: PoolFacts['instances'] }) => {
    const facts = factsOf({ traffic: 'Cluster' });
    const { nodes } = facts.cluster;
    const pool = aPool(nodes, instances === undefined ? {} : { instances });
    return buildPlan({
      policy: withFound(named, facts.cluster),
      run: 'run-1',
      pool,
      provider: { lacks, spread: spreadEvenly, grows: spreadEvenly },
      facts,
    });
  };
  const blockersIn = (question: Parameters<typeof planIn>[0]) =>
    planIn(question).findings.flatMap(({ rule, severity, message }) => (severity === 'blocker' ? [rule, message] : []));

  test('is planned with all of its nodes as old ones', () => {
    const plan = planIn({});
    expect(blockersIn({})).toEqual([]);
    expect(plan.newPool).toEqual(plan.oldPool);
    expect(plan).not.toHaveProperty('foundSize');
    expect(plan.policy.found?.map(({ uid }) => uid).toSorted()).toEqual(plan.nodes.map(({ uid }) => uid).toSorted());
  });

  test('is refused where its provider replaces none in place', () => {
    const lacks = { inPlace: { message: 'a toy keeps its kind', hint: 'Buy another one.' } };
    expect(blockersIn({ lacks })).toEqual(['INF-020', 'a toy keeps its kind']);
  });

  test('is refused while an instance may still join, which would be taken for new', () => {
    const instances = [{ instanceId: 'i-late', zone: 'a', state: 'pending' }] as const;
    expect(blockersIn({ instances })).toEqual(['INF-020', 'i-late of it would join later and be taken for new']);
  });
});
