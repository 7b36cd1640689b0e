import { describe, expect, test } from 'vitest';
import { type RunScope, servicesOfRun } from '../../../core/guard/services-of-run.ts';
import { aBaseline, aBudget, aCluster, aNode, aPod, aPolicy, aService } from '../support/facts.ts';
import type { ClusterFacts, ServiceFacts } from '../support/model.ts';

const nodes = [aNode('old'), aNode('new', { pool: 'web-new' }), aNode('far', { pool: 'batch' })];
const policy = aPolicy({ target: { ...aPolicy().target, poolName: 'web-new' } });

function watched(services: readonly ServiceFacts[], parts: Partial<ClusterFacts> = {}, scope: Partial<RunScope> = {}) {
  const cluster = aCluster({ nodes, services, ...parts });
  return servicesOfRun(cluster, { policy, baselines: [], ...scope }).map(({ key }) => key);
}

describe('a run watches', () => {
  test('Services with an endpoint on a node of its old or its new pool, ready or not', () => {
    const onOld = aService('a', [aPod('a-1', 'old', { ready: false })]);
    const onNew = aService('b', [aPod('b-1', 'new')]);
    const far = aService('c', [aPod('c-1', 'far')]);
    expect(watched([onOld, onNew, far])).toEqual(['default/a', 'default/b']);
  });

  test('every Service with policy Cluster, because every node takes its connections', () => {
    const far = aService('c', [aPod('c-1', 'far')], { externalTrafficPolicy: 'Cluster' });
    expect(watched([far])).toEqual(['default/c']);
  });

  test('no Service without a load balancer', () => {
    const pod = aPod('a-1', 'old');
    expect(watched([aService('a', [pod], { type: 'NodePort' })], { pods: [pod] })).toEqual([]);
  });

  test('a Service without one of its own to which that of an Ingress sends through nodes, as its policy says', () => {
    const nodePortBalancers = [{ by: 'Ingress default/shop', groups: ['k8s-be-30080'], hint: '' }];
    const onOld = aService('a', [aPod('a-1', 'old')], { type: 'NodePort', nodePortBalancers });
    const far = [aPod('b-1', 'far')];
    const cluster = aService('b', far, { type: 'NodePort', externalTrafficPolicy: 'Cluster', nodePortBalancers });
    const local = aService('c', far, { type: 'NodePort', nodePortBalancers });
    expect(watched([onOld, cluster, local])).toEqual(['default/a', 'default/b']);
  });

  test('a Service whose EndpointSlices do not list its pod there yet', () => {
    expect(watched([aService('a', [])], { pods: [aPod('a-1', 'old')] })).toEqual(['default/a']);
  });

  test('a Service on other nodes that shares a budget with a pod there: the budget counts which pods are reached', () => {
    const pods = [aPod('a-1', 'old'), aPod('b-1', 'far')];
    const services = [aService('a', pods), aService('b', pods)];
    expect(watched(services, { pods, budgets: [aBudget('both', pods, 1)] })).toEqual(['default/a', 'default/b']);
    expect(watched(services, { pods })).toEqual(['default/a']);
  });

  test.each<[string, Partial<RunScope>]>([
    ['that it has observed to serve', { baselines: [aBaseline('a', 1)] }],
    ['that had pods on the node that it empties', { before: { 'default/a': 1 } }],
    [
      'that its policy names',
      { policy: { ...policy, guard: { ...policy.guard, minServing: { 'default/a': { targets: 1 } } } } },
    ],
  ])('a Service %s, wherever its pods are just now', (_, scope) => {
    const services = [aService('a', [aPod('a-1', 'far')])];
    expect(watched(services)).toEqual([]);
    expect(watched(services, {}, scope)).toEqual(['default/a']);
  });
});
