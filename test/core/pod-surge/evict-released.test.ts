import { describe, expect, test } from 'vitest';
import { decideReleasedEviction } from '../../../core/pod-surge/evict-released.ts';
import { aCluster, aNode, aPod, aPolicy, aService, aWorkload, released, withPodSurge } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const now = 1_000_000;

function leaving(name: string, node: string, changes: Partial<PodFacts> = {}): PodFacts {
  return aPod(name, node, { ...released(name, 'r1'), ...changes });
}

function decide(pods: readonly PodFacts[], policy: 'Local' | 'Cluster' = 'Local', removedAt = {}) {
  const nodes = [aNode('n1'), aNode('n2')];
  const service = { ...aService('web', pods), externalTrafficPolicy: policy };
  const facts = aCluster({ nodes, pods, workloads: [aWorkload('web', 2)], services: [service] });
  const question = {
    facts,
    policy: aPolicy(withPodSurge()),
    run: 'r1',
    now,
    removedAt,
    unreadySince: {},
    drainedAt: {},
    goneSince: {},
  };
  const { actions, blocked, remaining } = decideReleasedEviction(question);
  return {
    actions: actions.map(({ kind, pod }) => `${kind} ${pod.name}`),
    blocked: blocked.map(({ pod, reason }) => `${pod.name}: ${reason}`),
    remaining,
  };
}

describe('a released pod that no ReplicaSet adopts', () => {
  const served = [aPod('web-8', 'n1'), aPod('web-9', 'n2')];

  test('is removed from its endpoints first, where another serves on its node', () => {
    expect(decide([leaving('web-1', 'n1'), ...served])).toEqual({
      actions: ['remove-endpoints web-1'],
      blocked: [],
      remaining: 1,
    });
  });

  test('is evicted once that has propagated, and waited for until it is gone', () => {
    const endpointsRemoved = { by: 'r1', originalLabels: { app: 'web' } };
    const out = leaving('web-1', 'n1', { labels: {}, endpointsRemoved });
    expect(decide([out, ...served], 'Local', { 'uid-web-1': now })).toMatchObject({ actions: [], remaining: 1 });
    expect(decide([out, ...served], 'Local', { 'uid-web-1': 0 })).toMatchObject({ actions: ['evict web-1'] });
    const terminating = { ...out, terminating: true };
    expect(decide([terminating, ...served])).toEqual({ actions: [], blocked: [], remaining: 1 });
    expect(decide(served)).toEqual({ actions: [], blocked: [], remaining: 0 });
  });

  test('keeps serving where a Service with policy Local has no other on its node', () => {
    const elsewhere = [aPod('web-8', 'n2'), aPod('web-9', 'n2')];
    expect(decide([leaving('web-1', 'n1'), ...elsewhere])).toEqual({ actions: [], blocked: [], remaining: 0 });
    expect(decide([leaving('web-1', 'n1'), ...elsewhere], 'Cluster').actions).toEqual(['remove-endpoints web-1']);
    const two = [leaving('web-1', 'n1'), leaving('web-2', 'n1'), ...elsewhere];
    expect(decide(two)).toMatchObject({ actions: ['remove-endpoints web-1'], remaining: 1 });
  });

  test('waits until the pods of its workload serve', () => {
    const late = [aPod('web-8', 'n1'), aPod('web-9', 'n2', { ready: false })];
    const rolledOver = leaving('web-1', 'n1');
    expect(decide([rolledOver, ...late])).toEqual({
      actions: [],
      blocked: ['web-1: Deployment default/web has 1 of 2 pods ready without it'],
      remaining: 1,
    });
  });

  test('is left alone if another run released it', () => {
    expect(decide([aPod('web-1', 'n1', released('web-1', 'r2')), ...served])).toMatchObject({ remaining: 0 });
  });
});
