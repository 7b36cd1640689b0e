import { describe, expect, test } from 'vitest';
import { explainBlock } from '../../../core/guard/block.ts';
import { aPod, aWorkload, released } from '../support/facts.ts';
import { blocked, blockOf, factsOf, guardOf, pods, type Scene } from '../support/scene.ts';

describe('a rollout', () => {
  const rolling = [aWorkload('web', 2, { rollingOut: true }), aWorkload('api', 2)];
  const two = [aPod('web-1', 'n1'), aPod('web-2', 'n2'), aPod('api-1', 'n3'), aPod('api-2', 'n4')];

  test('blocks the nodes that host pods behind the Service, and no others', () => {
    const guard = guardOf(factsOf({ pods: two, workloads: rolling }), factsOf({ pods: two }));
    expect(blocked(guard)).toEqual(['n1', 'n2']);
    expect(blockOf(guard, 'n1')).toMatchObject({
      limit: 'rollout',
      service: 'default/web',
      what: 'Deployment default/web',
    });
  });

  test('also blocks the nodes of pods that a run has released from the workload', () => {
    const { workload: _none, ...bare } = { ...aPod('web-3', 'n3'), ...released('web-3', 'run') };
    const guard = guardOf(factsOf({ pods: [...two.slice(0, 2), bare], workloads: rolling }), factsOf({ pods: two }));
    expect(blocked(guard)).toEqual(['n1', 'n2', 'n3']);
  });

  test('of one of two workloads behind the Service blocks the nodes that host its pods, and no others', () => {
    const canary = { workload: 'Deployment default/canary' };
    const mixed = pods.map((pod, index) => (index < 2 ? { ...pod, ...canary } : pod));
    const workloads = [
      aWorkload('web', 2),
      aWorkload('web', 2, { key: canary.workload, name: 'canary', rollingOut: true }),
    ];
    expect(blocked(guardOf(factsOf({ pods: mixed, workloads })))).toEqual(['n1', 'n2']);
  });

  test('of a workload behind no load balancer blocks no node', () => {
    const workloads = [aWorkload('web', 4), aWorkload('batch', 4, { rollingOut: true })];
    expect(blocked(guardOf(factsOf({ workloads })))).toEqual([]);
  });

  test('blocks the nodes that host its pods under policy Cluster too', () => {
    const guard = guardOf(
      factsOf({ traffic: 'Cluster', pods: two, workloads: rolling }),
      factsOf({ traffic: 'Cluster' }),
    );
    expect(blocked(guard)).toEqual(['n1', 'n2']);
  });
});

describe('a target that is unhealthy.draining', () => {
  const states = { n4: 'unhealthy.draining' } as const;
  const bare = pods.slice(0, 3);
  const under = (strandsDraining: boolean) => {
    const facts = factsOf({ pods: bare, states });
    const targetGroups = facts.targetGroups.map((group) => ({ ...group, strandsDraining }));
    return guardOf({ ...facts, targetGroups }, factsOf({ pods: bare }));
  };

  test('blocks its node under a controller that would never deregister it', () => {
    const block = blockOf(under(true), 'n4');
    expect(block).toMatchObject({ limit: 'stuck-target', service: 'default/web', what: 'k8s-web' });
    expect(block === undefined ? '' : explainBlock(block)).toBe(
      'n4 waits: its target in k8s-web is unhealthy.draining, and its controller would not deregister it',
    );
    expect(blockOf(under(true), 'n1')).toBeUndefined();
  });

  test('does not under another controller', () => {
    expect(blockOf(under(false), 'n4')).toBeUndefined();
  });
});

describe('a target that is healthy still, without a ready endpoint on its node', () => {
  const unready = pods.map((pod) => ({ ...pod, ready: pod.node !== 'n1' }));
  const gone = pods.slice(1);
  const unnoticed: Scene = { states: { n1: 'healthy' } };

  test.each<[string, Scene]>([
    ['because its pod is not ready', { ...unnoticed, pods: unready }],
    ['because its pod is gone', { ...unnoticed, pods: gone }],
  ])('blocks its node until the load balancer has noticed, %s', (_, scene) => {
    const guard = guardOf(factsOf(scene), factsOf({ pods: gone }));
    expect(blockOf(guard, 'n1')).toMatchObject({ limit: 'unnoticed', what: 'k8s-web' });
    expect(explainBlock(blockOf(guard, 'n1') ?? { node: '', limit: 'best', needs: 0, has: 0 })).toBe(
      'n1 waits: it has no ready endpoint of default/web, and its target in k8s-web is healthy still',
    );
    expect(blocked(guardOf(factsOf({ pods: gone }), factsOf({ pods: gone })))).toEqual([]);
  });

  test('is nothing to wait for under policy Cluster, where every node reaches every pod', () => {
    const cluster: Scene = { ...unnoticed, pods: gone, traffic: 'Cluster' };
    expect(blocked(guardOf(factsOf(cluster), factsOf(cluster)))).toEqual([]);
  });
});
