import { describe, expect, test } from 'vitest';
import { isOfWorkload, needsRemoval, selectLabels, trackRemoved } from '../../../core/eviction/endpoint-removal.ts';
import { aCluster, aPod, aPolicy, aService, aWorkload, released } from '../support/facts.ts';
import type { ServiceFacts } from '../support/model.ts';

describe('the labels to remove', () => {
  const pod = aPod('web-1', 'n1', { labels: { app: 'web', tier: 'front', 'pod-template-hash': 'x' } });
  const select = (key: string, selector: Record<string, string>) =>
    aService('web', [pod], { key: `default/${key}`, selector });
  const labelsFor = (...services: readonly ServiceFacts[]) => selectLabels(pod, aCluster({ services }));

  test('prefer one that the ReplicaSet does not select by', () => {
    expect(labelsFor(select('web', { app: 'web', tier: 'front' }))).toEqual(['tier']);
  });

  test('fall back to one that the ReplicaSet selects by', () => {
    expect(labelsFor(select('web', { app: 'web' }))).toEqual(['app']);
  });

  test('are as few as satisfy every Service that selects the pod', () => {
    const one = select('one', { app: 'web', tier: 'front' });
    const two = select('two', { tier: 'front' });
    const three = select('three', { app: 'web' });
    expect(labelsFor(one, two)).toEqual(['tier']);
    expect(labelsFor(one, three)).toEqual(['app']);
    expect(labelsFor(one, two, three)).toEqual(['app', 'tier']);
  });

  test.each([
    ['selects other pods', { app: 'api' }],
    ['has no selector', {}],
  ])('leave out a Service that %s', (_, selector: Record<string, string>) => {
    expect(labelsFor(select('web', selector))).toEqual([]);
  });

  test('leave out a Service of another namespace', () => {
    expect(labelsFor(aService('web', [], { key: 'other/web' }))).toEqual([]);
  });
});

describe('a pod of a ReplicaSet', () => {
  const pod = aPod('web-1', 'n1', { ownerName: 'web-5d9' });

  test.each([
    ['default/web', true],
    ['default/web-5d9', true],
    ['default/we', false],
    ['default/web-5', false],
    ['other/web', false],
  ])('of Deployment default/web belongs to workload %s: %s', (workload, expected) => {
    expect(isOfWorkload(pod, workload, aCluster({ pods: [pod] }))).toBe(expected);
  });

  test.each([
    ['default/web-api', true],
    ['default/web', false],
  ])('of Deployment default/web-api belongs to workload %s: %s', (workload, expected) => {
    const api = { ...pod, ownerName: 'web-api-7f9', workload: 'Deployment default/web-api' };
    expect(isOfWorkload(api, workload, aCluster({ pods: [api] }))).toBe(expected);
  });

  test.each([
    ['default/web', true],
    ['default/web-5d9', true],
    ['default/rollout', false],
  ])('that a Rollout keeps belongs to workload %s: %s', (workload, expected) => {
    const kept = { ...pod, workload: 'ReplicaSet default/web-5d9' };
    const replicaSet = aWorkload('web', 1, {
      key: kept.workload,
      kind: 'ReplicaSet',
      name: 'web-5d9',
      keptBy: 'Rollout default/web',
    });
    expect(isOfWorkload(kept, workload, aCluster({ pods: [kept], workloads: [replicaSet] }))).toBe(expected);
  });
});

test('a released pod belongs to the workload that it was released from, and may be removed from its endpoints', () => {
  const pod = aPod('web-1', 'n1', released('web-1', 'run'));
  const cluster = aCluster({ pods: [pod], services: [aService('web', [pod])] });
  expect(isOfWorkload(pod, 'default/web', cluster)).toBe(true);
  expect(needsRemoval(pod, cluster, aPolicy())).toBe(true);
  const drain = { ...aPolicy().drain, keepEndpoints: ['default/web'] };
  expect(needsRemoval(pod, cluster, aPolicy({ drain }))).toBe(false);
});

test('times of removed pods are kept, new ones begin now, gone ones are forgotten', () => {
  const endpointsRemoved = { by: 'run', originalLabels: {} };
  const pods = [
    aPod('old-1', 'n1', { endpointsRemoved }),
    aPod('new-1', 'n1', { endpointsRemoved }),
    aPod('listed-1', 'n1'),
  ];
  const known = { 'uid-old-1': 5, 'uid-gone': 6 };
  expect(trackRemoved(known, pods, aCluster({}), 9)).toEqual({ 'uid-old-1': 5, 'uid-new-1': 9 });
});

describe('a removed pod that still is an endpoint', () => {
  const endpointsRemoved = { by: 'run', originalLabels: { app: 'web' } };
  const pods = [aPod('web-1', 'n1', { endpointsRemoved, labels: {} })];
  const asListed = [aPod('web-1', 'n1')];

  test('has no time until its removal is observed', () => {
    expect(trackRemoved({}, pods, aCluster({ services: [aService('web', asListed)] }), 9)).toEqual({});
    expect(trackRemoved({}, pods, aCluster({ services: [aService('web', [])] }), 10)).toEqual({ 'uid-web-1': 10 });
  });

  test('begins anew when it comes back', () => {
    expect(trackRemoved({ 'uid-web-1': 5 }, pods, aCluster({ services: [aService('web', asListed)] }), 9)).toEqual({});
  });

  test('is not waited for where somebody writes the slices by hand', () => {
    expect(trackRemoved({}, pods, aCluster({ services: [aService('web', asListed, { selector: {} })] }), 9)).toEqual({
      'uid-web-1': 9,
    });
  });
});
