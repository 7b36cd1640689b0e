import { describe, expect, test } from 'vitest';
import { findRuns } from '../../../core/cleanup/find-runs.ts';
import { type CleanupQuestion, explainCleanupAct, planCleanup } from '../../../core/cleanup/plan-cleanup.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import { aCluster, aNode, aPod, aPool, aService, released } from '../support/facts.ts';

const marked = aNode('n1', {
  cordoned: true,
  excluded: true,
  ownership: {
    cordonedBy: 'r1',
    excludedBy: 'r1',
    disruptedBy: 'r1',
    fence: { run: 'r1', round: 1, step: 2, attempt: 1 },
  },
});
const endpointsRemoved = { endpointsRemoved: { by: 'r1', originalLabels: { app: 'web' } } } as const;

function plan(changes: Partial<CleanupQuestion> = {}) {
  const nodes = changes.cluster?.nodes ?? [marked];
  return planCleanup({
    cluster: aCluster({ nodes }),
    pool: aPool(nodes.filter((node) => node.pool === 'web')),
    name: 'web',
    replacements: [],
    runs: ['r1'],
    locking: ['r1'],
    ...changes,
  });
}

function replacement(changes: Partial<PoolFacts> = {}): PoolFacts {
  return aPool([], { ref: { cluster: 'c', region: 'r', name: 'new' }, createdBy: 'r1', ...changes });
}

const told = (question: Partial<CleanupQuestion>) => plan(question).acts.map(explainCleanupAct);

describe('what is left of a run', () => {
  test('nothing is found where nothing is', () => {
    const cluster = aCluster({ nodes: [aNode('n1')] });
    expect(plan({ cluster, locking: [] })).toEqual({
      runs: ['r1'],
      acts: [],
      stays: [],
      leftAlone: [],
      settling: false,
    });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual([]);
  });

  test('all marks go, the pods back into their Services before their node, the locks last', () => {
    const pods = [
      aPod('web-1', 'n1', endpointsRemoved),
      aPod('web-2', 'n1', { ...endpointsRemoved, ownerKind: 'none' }),
    ];
    expect(
      told({ cluster: aCluster({ nodes: [marked], pods }), pool: aPool([marked], { held: ['AZRebalance'] }) }),
    ).toEqual([
      'pod default/web-1: restore the labels that its Services select',
      'pod default/web-2: evict; its controller has replaced it already',
      'node n1: remove taint nodeferry.dev/disrupted',
      'node n1: remove label node.kubernetes.io/exclude-from-external-load-balancers',
      'node n1: uncordon',
      'node n1: remove annotation nodeferry.dev/fence',
      'pool web: put back AZRebalance',
      'locks of run r1: delete',
    ]);
  });

  test('released pods are given back to their ReplicaSets, with a deletion cost that is told', () => {
    const pods = [aPod('web-1', 'n1', released('web-1', 'r1')), aPod('web-2', 'n1', { costRaisedBy: 'r1' })];
    const cluster = aCluster({ nodes: [aNode('n1')], pods });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual(['r1']);
    expect(told({ cluster, locking: [] })).toEqual([
      'pod default/web-2: restore its deletion cost',
      'pod default/web-1: delete; its workload is gone',
    ]);
    const served = { ...cluster, services: [aService('web', pods)] };
    expect(told({ cluster: served, locking: [] })).toEqual(['pod default/web-2: restore its deletion cost']);
    expect(plan({ cluster: served, locking: [] }).stays).toEqual([
      'pod default/web-1, released by run r1, serves default/web, though Deployment default/web is gone: delete it when its callers do not need it',
    ]);
  });

  test('marks of others stay, and of other runs', () => {
    const theirs = aNode('n2', { cordoned: true, excluded: true });
    const other = aNode('n3', { cordoned: true, ownership: { cordonedBy: 'r2' } });
    const cluster = aCluster({ nodes: [theirs, other] });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual(['r2']);
    expect(told({ cluster, runs: ['r2'], locking: [] })).toEqual(['node n3: uncordon']);
    expect(told({ cluster, runs: ['r9'], locking: [] })).toEqual([]);
  });

  test('a run is known by its lock alone, by a pod, and by a node of its new pool', () => {
    const known = (cluster: CleanupQuestion['cluster'], holder?: string) =>
      findRuns({ cluster, name: 'web', replacements: [replacement()], holder });
    expect(known(aCluster({}), 'r5')).toEqual(['r5']);
    expect(known(aCluster({ nodes: [aNode('n1')], pods: [aPod('web-1', 'n1', endpointsRemoved)] }))).toEqual(['r1']);
    const fresh = aNode('n9', { pool: 'new', cordoned: true, ownership: { cordonedBy: 'r1' } });
    expect(known(aCluster({ nodes: [fresh] }))).toEqual(['r1']);
  });
});

describe('a new pool', () => {
  const fresh = aNode('n9', { pool: 'new' });

  test('goes when it has no node yet', () => {
    const question = { replacements: [replacement()] };
    expect(told(question)).toContain('pool new: delete; run r1 made it, and it has no node');
    expect(plan(question).stays).toEqual([]);
  });

  test('stays when it has nodes, which are in load balancers, and is told', () => {
    const question = { cluster: aCluster({ nodes: [marked, fresh] }), replacements: [replacement()] };
    expect(told(question).join()).not.toContain('delete; run');
    expect(plan(question).stays).toEqual([expect.stringContaining('pool new, made by run r1, has 1 node (n9)')]);
  });

  test('of another run, or that nodeferry did not make, is left alone', () => {
    const { createdBy: _nobody, ...foreign } = replacement();
    for (const made of [replacement({ createdBy: 'r7' }), foreign])
      expect(told({ replacements: [made] }).join()).not.toContain('delete; run');
  });
});
