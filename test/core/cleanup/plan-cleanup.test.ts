import { describe, expect, test } from 'vitest';
import { findRuns } from '../../../core/cleanup/find-runs.ts';
import { type CleanupQuestion, explainCleanupAction, planCleanup } from '../../../core/cleanup/plan-cleanup.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import { tokenOf } from '../../support/suspension.ts';
import { aCluster, aNode, aPod, aPool, aService, released } from '../support/facts.ts';

const owned = aNode('n1', {
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
  const nodes = changes.cluster?.nodes ?? [owned];
  return planCleanup({
    cluster: aCluster({ nodes }),
    pool: aPool(nodes.filter((node) => node.pool === 'web')),
    name: 'web',
    replacements: [],
    runs: ['r1'],
    locking: ['r1'],
    asked: { unread: undefined, isAccepted: false },
    ...changes,
  });
}

function replacement(changes: Partial<PoolFacts> = {}): PoolFacts {
  return aPool([], { ref: { cluster: 'c', region: 'r', provider: 'eks', name: 'new' }, createdBy: 'r1', ...changes });
}

const actions = (question: Partial<CleanupQuestion>) => plan(question).actions.map(explainCleanupAction);

describe('what is left of a run', () => {
  test('nothing is found in a clean cluster', () => {
    const cluster = aCluster({ nodes: [aNode('n1')] });
    expect(plan({ cluster, locking: [] })).toEqual({
      runs: ['r1'],
      actions: [],
      stays: [],
      waits: [],
      leftAlone: [],
      settling: false,
      draining: false,
    });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual([]);
  });

  test('what is suspended for a pool that is gone is restored', () => {
    const cluster = aCluster({ nodes: [] });
    const gone = { cluster: 'c', region: 'r', provider: 'gke', name: 'web' };
    const orphaned = { pool: gone, suspended: { token: tokenOf('exclusion'), what: ['upgrades of nodes'] } };
    expect(actions({ cluster, pool: undefined, orphaned, runs: [], locking: [] })).toEqual([
      'pool web: restore upgrades of nodes',
    ]);
  });

  test('what a run needs that moves nodes to the pool is left to that run, unless it is cleaned up', () => {
    const cluster = aCluster({ nodes: [] });
    const suspended = { token: tokenOf('anything'), what: ['minimum size 2'] };
    const pool = aPool([], { suspended });
    const question = { cluster, pool, locking: [], movingTo: { web: ['r2'] } };
    expect(actions(question)).toEqual([]);
    expect(plan(question).leftAlone).toEqual([
      'pool web: run r2 moves nodes to it, and restores minimum size 2 itself; clean up the pool that it replaces if it is gone',
    ]);
    expect(actions({ ...question, runs: ['r2'] })).toEqual(['pool web: restore minimum size 2']);
    expect(actions({ ...question, movingTo: { web: [] } })).toEqual(['pool web: restore minimum size 2']);
    const replacements = [replacement({ suspended, createdBy: 'r2' })];
    expect(actions({ ...question, pool: undefined, replacements, movingTo: { new: ['r2'] } })).toEqual([]);
  });

  test('pods return to their Services before their node is restored, and the locks go last', () => {
    const pods = [
      aPod('web-1', 'n1', endpointsRemoved),
      aPod('web-2', 'n1', { ...endpointsRemoved, ownerKind: 'none' }),
    ];
    expect(
      actions({
        cluster: aCluster({ nodes: [owned], pods }),
        pool: aPool([owned], { suspended: { token: tokenOf('anything'), what: ['AZRebalance'] } }),
      }),
    ).toEqual([
      'pod default/web-1: restore the labels that its Services select',
      'pod default/web-2: evict; its controller has already replaced it',
      'node n1: remove taint nodeferry.dev/disrupted',
      'node n1: remove label node.kubernetes.io/exclude-from-external-load-balancers',
      'node n1: uncordon',
      'node n1: remove annotation nodeferry.dev/fence',
      'pool web: restore AZRebalance',
      'locks of run r1: delete',
    ]);
  });

  test('released pods return to their ReplicaSets, and deletion costs are restored', () => {
    const pods = [aPod('web-1', 'n1', released('web-1', 'r1')), aPod('web-2', 'n1', { costRaisedBy: 'r1' })];
    const cluster = aCluster({ nodes: [aNode('n1')], pods });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual(['r1']);
    expect(actions({ cluster, locking: [] })).toEqual([
      'pod default/web-2: restore its deletion cost',
      'pod default/web-1: delete; its workload is gone',
    ]);
    const served = { ...cluster, services: [aService('web', pods)] };
    expect(actions({ cluster: served, locking: [] })).toEqual(['pod default/web-2: restore its deletion cost']);
    expect(plan({ cluster: served, locking: [] }).stays).toEqual([
      'pod default/web-1, released by run r1, still serves default/web, although Deployment default/web is gone: delete it when its callers no longer need it',
    ]);
  });

  test('changes by others stay, and those of other runs', () => {
    const ofOthers = aNode('n2', { cordoned: true, excluded: true });
    const other = aNode('n3', { cordoned: true, ownership: { cordonedBy: 'r2' } });
    const cluster = aCluster({ nodes: [ofOthers, other] });
    expect(findRuns({ cluster, name: 'web', replacements: [], holder: undefined })).toEqual(['r2']);
    expect(actions({ cluster, runs: ['r2'], locking: [] })).toEqual(['node n3: uncordon']);
    expect(actions({ cluster, runs: ['r9'], locking: [] })).toEqual([]);
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

  test('is deleted while it has no node', () => {
    const question = { replacements: [replacement()] };
    expect(actions(question)).toContain('pool new: delete; run r1 created it, and it has no node');
    expect(plan(question).stays).toEqual([]);
  });

  test('stays when it has nodes, because load balancers use them, and is reported', () => {
    const question = { cluster: aCluster({ nodes: [owned, fresh] }), replacements: [replacement()] };
    expect(actions(question).join()).not.toContain('delete; run');
    expect(plan(question).stays).toEqual([expect.stringContaining('pool new, created by run r1, has 1 node (n9)')]);
  });

  test('of another run, or that nodeferry did not create, stays', () => {
    const { createdBy: _creator, ...unmanaged } = replacement();
    for (const made of [replacement({ createdBy: 'r7' }), unmanaged])
      expect(actions({ replacements: [made] }).join()).not.toContain('delete; run');
  });
});
