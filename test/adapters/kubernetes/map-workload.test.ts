import type { V1DaemonSet, V1Deployment, V1ReplicaSet, V1StatefulSet } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import { clusterFacts } from '../../../adapters/kubernetes/map.ts';
import { podFacts } from '../../../adapters/kubernetes/map-pod.ts';
import {
  daemonSetFacts,
  deploymentFacts,
  replicaSetFacts,
  statefulSetFacts,
} from '../../../adapters/kubernetes/map-workload.ts';
import { deploymentPod, nothing, replicaSet } from './objects.ts';

const metadata = { name: 'web', namespace: 'shop', generation: 3 };
const template = { metadata: { labels: { app: 'web' } } };
const selector = { matchLabels: { app: 'web' } };
/** Of a Deployment past its progress deadline (Kubernetes docs, "Deployments", Failed Deployment). */
const evictedInstead = {
  type: 'Progressing',
  status: 'False',
  reason: 'ProgressDeadlineExceeded',
  message: 'ReplicaSet "web-2" has timed out progressing.',
};

describe('a Deployment', () => {
  const facts = (spec: Partial<V1Deployment['spec']>, status: Partial<V1Deployment['status']> = {}) =>
    deploymentFacts({
      metadata,
      spec: { replicas: 4, selector, template, ...spec },
      status: { observedGeneration: 3, replicas: 4, updatedReplicas: 4, ...status },
    });

  it('tells its scale and the labels of its pods', () => {
    expect(facts({})).toEqual({
      key: 'Deployment shop/web',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      replicas: 4,
      podLabels: { app: 'web' },
      selector,
      rollingOut: false,
      surge: 1,
      mayLack: 1,
    });
    expect(deploymentFacts({ metadata, spec: { selector, template } }).replicas).toBe(1);
  });

  it('tells the containers of its template', () => {
    const containers = [{ name: 'server' }, { name: 'metrics' }];
    expect(facts({ template: { spec: { containers } } }).containers).toEqual(['server', 'metrics']);
  });

  const rolling = (maxSurge: number | string) => ({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge } } });

  it.each([
    ['nothing', {}, 1],
    ['nothing and 3 replicas', { replicas: 3 }, 0],
    ['a number', { strategy: { rollingUpdate: { maxUnavailable: 4 } } }, 4],
    ['a share that is no whole number', { strategy: { rollingUpdate: { maxUnavailable: '60%' } } }, 2],
    ['strategy Recreate', { strategy: { type: 'Recreate' } }, 4],
  ])('that says %s of what its rollouts take away may lack %j: %i', (_, spec, mayLack) => {
    expect(facts(spec).mayLack).toBe(mayLack);
  });

  it('has the time that its rollouts wait for a new pod', () => {
    expect(facts({ minReadySeconds: 30 }).minReadySeconds).toBe(30);
    expect(facts({ minReadySeconds: 0 })).not.toHaveProperty('minReadySeconds');
  });

  it.each([
    ['nothing', {}, 1],
    ['nothing and 5 replicas', { replicas: 5 }, 2],
    ['a number', rolling(3), 3],
    ['a share', rolling('50%'), 2],
    ['a share that is no whole number', rolling('30%'), 2],
    ['none', rolling(0), 0],
    ['strategy Recreate', { strategy: { type: 'Recreate' } }, 0],
  ])('that says %s of its surge may start %j: %i', (_, spec, surge) => {
    expect(facts(spec).surge).toBe(surge);
  });

  it('tells that it is paused', () => {
    expect(facts({ paused: true }).paused).toBe(true);
    expect(facts({})).not.toHaveProperty('paused');
  });

  it.each([
    ['whose controller has not seen the newest template', true, {}, { observedGeneration: 2 }],
    ['with pods of an older template', true, {}, { replicas: 5, updatedReplicas: 1 }],
    ['with a replacement that is not Ready yet', false, {}, { readyReplicas: 3, unavailableReplicas: 1 }],
    ['that lacks a pod', false, {}, { replicas: 3, updatedReplicas: 3 }],
    ['that is being scaled up', false, { replicas: 12 }, { replicas: 4, updatedReplicas: 4 }],
    ['that is paused in the middle', false, { paused: true }, { replicas: 5, updatedReplicas: 1 }],
    ['whose controller has given it up', false, {}, { replicas: 5, updatedReplicas: 1, conditions: [evictedInstead] }],
    ['that was given up, and has a newer template', true, {}, { observedGeneration: 2, conditions: [evictedInstead] }],
  ])('%s rolls out: %s', (_, rollingOut, spec, status) => {
    expect(facts(spec, status).rollingOut).toBe(rollingOut);
  });
});

it('a Deployment that its controller has given up says why, as long as that is so', () => {
  const stalledWith = (status: Partial<V1Deployment['status']>) =>
    deploymentFacts({
      metadata,
      spec: { selector, template },
      status: { observedGeneration: 3, replicas: 5, updatedReplicas: 1, conditions: [evictedInstead], ...status },
    }).stalled;
  expect(stalledWith({})).toBe('ReplicaSet "web-2" has timed out progressing.');
  expect(stalledWith({ updatedReplicas: 5 })).toBeUndefined();
  expect(stalledWith({ conditions: [{ ...evictedInstead, status: 'True' }] })).toBeUndefined();
});

describe('a StatefulSet', () => {
  const facts = (spec: Partial<V1StatefulSet['spec']>, status: Partial<V1StatefulSet['status']> = {}) =>
    statefulSetFacts({
      metadata,
      spec: { replicas: 4, selector, template, serviceName: 'web', ...spec },
      status: { observedGeneration: 3, replicas: 4, currentRevision: 'a', updateRevision: 'a', ...status },
    });
  const changing = { updateRevision: 'b' };
  const from = (partition: number) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });

  it('tells its scale', () => {
    expect(facts({})).toMatchObject({ key: 'StatefulSet shop/web', replicas: 4, rollingOut: false });
  });

  it.each([
    ['whose controller has not seen the newest template', true, {}, { observedGeneration: 2 }],
    ['with pods of an older revision', true, {}, { ...changing, updatedReplicas: 3 }],
    ['whose pods all have the newest revision', false, {}, { ...changing, updatedReplicas: 4 }],
    ['that lacks a pod', false, {}, { replicas: 3, updatedReplicas: 3 }],
    ['with older pods below its partition only', false, from(3), { ...changing, updatedReplicas: 1 }],
    ['with an older pod above its partition', true, from(2), { ...changing, updatedReplicas: 1 }],
    [
      'whose pods somebody else replaces',
      false,
      { updateStrategy: { type: 'OnDelete' } },
      { ...changing, updatedReplicas: 1 },
    ],
  ])('%s rolls out: %s', (_, rollingOut, spec, status) => {
    expect(facts(spec, status).rollingOut).toBe(rollingOut);
  });
});

describe('a DaemonSet', () => {
  const facts = (spec: Partial<V1DaemonSet['spec']>, status: Partial<V1DaemonSet['status']> = {}) =>
    daemonSetFacts({
      metadata,
      spec: { selector, template, ...spec },
      status: {
        observedGeneration: 3,
        currentNumberScheduled: 4,
        desiredNumberScheduled: 4,
        numberMisscheduled: 0,
        numberReady: 4,
        updatedNumberScheduled: 4,
        ...status,
      },
    });

  it('is scaled to the nodes that it finds fit', () => {
    expect(facts({}, { desiredNumberScheduled: 7 })).toMatchObject({ key: 'DaemonSet shop/web', replicas: 7 });
    expect(daemonSetFacts({ metadata })).toMatchObject({ replicas: 0, podLabels: {} });
  });

  it.each([
    ['whose controller has not seen the newest template', true, {}, { observedGeneration: 2 }],
    ['with pods of an older template', true, {}, { updatedNumberScheduled: 1 }],
    ['that lacks pods on new nodes', false, {}, { desiredNumberScheduled: 8 }],
    [
      'whose pods somebody else replaces',
      false,
      { updateStrategy: { type: 'OnDelete' } },
      { updatedNumberScheduled: 1 },
    ],
  ])('%s rolls out: %s', (_, rollingOut, spec, status) => {
    expect(facts(spec, status).rollingOut).toBe(rollingOut);
  });
});

describe('a pod names its workload', () => {
  const workloadOf = (owner: object | undefined, sets: readonly V1ReplicaSet[] = []) => {
    const ownerReferences = owner === undefined ? [] : [{ name: 'web', uid: 'u', controller: true, ...owner } as never];
    const pod = { ...deploymentPod, metadata: { ...deploymentPod.metadata, ownerReferences } };
    return clusterFacts({ ...nothing, pods: [podFacts(pod)], replicaSets: sets.map(replicaSetFacts) }).pods[0]
      ?.workload;
  };
  const ofSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d4b9c6f5', uid: 'rs-web' };
  const { ownerReferences: _owners, ...alone } = replicaSet.metadata;
  const argo = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web', uid: 'r', controller: true };

  it('through its ReplicaSet, which is one itself only when no Deployment owns it', () => {
    expect(workloadOf(ofSet, [replicaSet])).toBe('Deployment shop/web');
    expect(workloadOf(ofSet, [{ ...replicaSet, metadata: alone }])).toBe('ReplicaSet shop/web-7d4b9c6f5');
    const owned = { ...replicaSet, metadata: { ...alone, ownerReferences: [argo] } };
    expect(workloadOf(ofSet, [owned])).toBe('ReplicaSet shop/web-7d4b9c6f5');
  });

  it('when a StatefulSet or a DaemonSet keeps it', () => {
    expect(workloadOf({ apiVersion: 'apps/v1', kind: 'StatefulSet' })).toBe('StatefulSet shop/web');
    expect(workloadOf({ apiVersion: 'apps/v1', kind: 'DaemonSet' })).toBe('DaemonSet shop/web');
  });

  it('only when it is known', () => {
    expect(workloadOf(ofSet)).toBeUndefined();
    expect(workloadOf({ apiVersion: 'batch/v1', kind: 'Job' })).toBeUndefined();
    expect(workloadOf(undefined)).toBeUndefined();
  });
});

describe('the workloads of an observation', () => {
  it('are all of them in order, but no ReplicaSet of a Deployment', () => {
    const { ownerReferences: _owners, ...own } = replicaSet.metadata;
    const facts = clusterFacts({
      ...nothing,
      replicaSets: [replicaSet, { ...replicaSet, metadata: { ...own, name: 'alone' } }].map(replicaSetFacts),
      deployments: [deploymentFacts({ metadata, spec: { selector, template } })],
      statefulSets: [statefulSetFacts({ metadata, spec: { selector, template, serviceName: 'web' } })],
      daemonSets: [daemonSetFacts({ metadata, spec: { selector, template } })],
    });
    expect(facts.workloads.map(({ key }) => key)).toEqual([
      'DaemonSet shop/web',
      'Deployment shop/web',
      'ReplicaSet shop/alone',
      'StatefulSet shop/web',
    ]);
    expect(facts.workloads[2]).toMatchObject({ kind: 'ReplicaSet', replicas: 4, rollingOut: false });
  });
});
