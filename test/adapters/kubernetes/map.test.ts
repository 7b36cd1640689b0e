import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import { clusterFacts } from '../../../adapters/kubernetes/map.ts';
import { budgetFacts } from '../../../adapters/kubernetes/map-budget.ts';
import { attachmentFacts } from '../../../adapters/kubernetes/map-node.ts';
import { podFacts } from '../../../adapters/kubernetes/map-pod.ts';
import { serviceFacts, sliceFacts } from '../../../adapters/kubernetes/map-service.ts';
import { daemonSetFacts, replicaSetFacts } from '../../../adapters/kubernetes/map-workload.ts';
import { budget, deploymentPod, localService, nothing, replicaSet, slice } from './objects.ts';

const ready = { ready: true, serving: true, terminating: false };

describe('a pod', () => {
  const withSpec = (spec: object) => podFacts({ ...deploymentPod, spec: { ...deploymentPod.spec, ...spec } });
  const owned = (owner: object | undefined) =>
    podFacts({
      ...deploymentPod,
      metadata: { ...deploymentPod.metadata, ownerReferences: owner === undefined ? [] : [owner as never] },
    });

  it('tells what an eviction has to know', () => {
    expect(podFacts(deploymentPod)).toEqual({
      namespace: 'shop',
      name: 'web-7d4b9c6f5-x2x8p',
      uid: 'a0f1c5de-0d5e-4b1f-8e8c-5d8d4f4f0b11',
      node: 'ip-10-0-1-17.eu-west-1.compute.internal',
      labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5' },
      ownerKind: 'ReplicaSet',
      ownerName: 'web-7d4b9c6f5',
      ownerUid: 'rs-web',
      phase: 'Running',
      ready: true,
      terminating: false,
      mirror: false,
      hostNetwork: false,
      hasEmptyDir: true,
      preStopSeconds: 15,
      terminationGracePeriodSeconds: 60,
      lifecycle: { containers: ['app'], preStops: { app: { handler: 'sleep', seconds: 15 } } },
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    });
  });

  it('keeps serving only as long as the least of its serving containers, and never past its grace period', () => {
    const sleeping = (seconds: number) => ({ lifecycle: { preStop: { sleep: { seconds } } } });
    const port = { ports: [{ containerPort: 80 }] };
    const one = { name: 'one', image: 'i', ...sleeping(20), ...port };
    const two = { name: 'two', image: 'i', ...sleeping(5), ...port };
    expect(withSpec({ containers: [one, two] }).preStopSeconds).toBe(5);
    expect(withSpec({ containers: [one], terminationGracePeriodSeconds: 10 }).preStopSeconds).toBe(10);
    expect(withSpec({ containers: [{ name: 'plain', image: 'i' }] }).preStopSeconds).toBe(0);
    const shell = { preStop: { exec: { command: ['sleep', '20'] } } };
    expect(withSpec({ containers: [{ ...one, lifecycle: shell }] }).preStopSeconds).toBe(0);
  });

  it('tells the labels that its node must have, with every value that is allowed', () => {
    const affinity = (...terms: { readonly [key: string]: readonly string[] }[]) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((term) => ({
            matchExpressions: Object.entries(term).map(([key, values]) => ({
              key,
              operator: 'In',
              values: [...values],
            })),
          })),
        },
      },
    });
    expect(withSpec({ containers: [] }).requiredNodeLabels).toBeUndefined();
    expect(withSpec({ containers: [], nodeSelector: { pool: 'web' } }).requiredNodeLabels).toEqual({ pool: ['web'] });
    const one = { zone: ['a', 'b'], group: ['web'] };
    expect(withSpec({ containers: [], affinity: affinity(one) }).requiredNodeLabels).toEqual(one);
    const other = { group: ['spare'], disk: ['ssd'] };
    expect(withSpec({ containers: [], affinity: affinity(one, other) }).requiredNodeLabels).toEqual({
      group: ['web', 'spare'],
    });
    expect(withSpec({ containers: [], affinity: affinity(one, {}) }).requiredNodeLabels).toBeUndefined();
  });

  it('tells the kinds of owners apart by API group too', () => {
    const owner = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: 'o', uid: 'u', controller: true });
    expect(owned(owner('apps/v1', 'StatefulSet')).ownerKind).toBe('StatefulSet');
    expect(owned(owner('apps/v1', 'DaemonSet')).ownerKind).toBe('DaemonSet');
    expect(owned(owner('batch/v1', 'Job')).ownerKind).toBe('Job');
    expect(owned(owner('v1', 'Node')).ownerKind).toBe('Node');
    expect(owned(owner('v1', 'ReplicationController')).ownerKind).toBe('other');
    expect(owned(owner('apps.kruise.io/v1beta1', 'StatefulSet')).ownerKind).toBe('other');
    expect(owned({ ...owner('apps/v1', 'ReplicaSet'), controller: false }).ownerKind).toBe('none');
    expect(owned(undefined)).toMatchObject({ ownerKind: 'none', ownerName: '' });
  });

  it('tells why it cannot be scheduled, whether it is a mirror pod, and that it is being deleted', () => {
    const metadata = {
      ...deploymentPod.metadata,
      annotations: { 'kubernetes.io/config.mirror': 'hash' },
      deletionTimestamp: new Date(90_000),
    };
    const message = '0/4 nodes are available: 4 Insufficient cpu.';
    const status = {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    };
    expect(podFacts({ ...deploymentPod, metadata, status })).toMatchObject({
      mirror: true,
      terminating: true,
      killedAt: 90_000,
      ready: false,
      phase: 'Pending',
      unschedulableReason: message,
    });
  });

  const annotated = (annotations: Record<string, string>, status: object = {}) =>
    podFacts({
      ...deploymentPod,
      metadata: { ...deploymentPod.metadata, annotations },
      status: { ...deploymentPod.status, ...status },
    });

  it.each(['true', 'false', 'on-completion'] as const)('tells that its owner says safe-to-evict: %s', (value) => {
    const { safeToEvict } = annotated({ 'cluster-autoscaler.kubernetes.io/safe-to-evict': value });
    expect(safeToEvict).toBe(value);
  });

  it('takes a safe-to-evict that the autoscaler does not know for none', () => {
    expect(annotated({ 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'no' })).not.toHaveProperty('safeToEvict');
    expect(annotated({})).not.toHaveProperty('safeToEvict');
  });

  it('counts no emptyDir volume that its owner has given up by name', () => {
    const given = (names: string) =>
      annotated({ 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': names }).hasEmptyDir;
    expect(given('scratch,cache')).toBe(false);
    expect(given('cache')).toBe(true);
  });

  it.each([
    ['true', 'for-good'],
    ['4h', 14_400_000],
    ['1h30m', 5_400_000],
    ['1.5m', 90_000],
    ['500ms', 500],
    ['false', undefined],
    ['0s', undefined],
    ['-5m', undefined],
    ['4', undefined],
    ['4 hours', undefined],
    ['', undefined],
  ])('reads do-not-disrupt: %j as Karpenter does, from the start of the pod', (value, until) => {
    const at = (startTime: number) =>
      annotated({ 'karpenter.sh/do-not-disrupt': value }, { startTime: new Date(startTime) }).doNotDisrupt;
    expect(at(0)).toBe(until);
    if (typeof until === 'number') expect(at(1_000)).toBe(until + 1_000);
  });

  it('keeps a do-not-disrupt for good while nobody knows when the pod started', () => {
    expect(annotated({ 'karpenter.sh/do-not-disrupt': '4h' }).doNotDisrupt).toBe('for-good');
  });

  it('tells what is left of a pod that terminates: running containers, finalizers', () => {
    const ended = { state: { terminated: { exitCode: 0 } } };
    const running = { state: { running: {} } };
    const terminating = (status: object, finalizers: string[] = []) => {
      const metadata = { ...deploymentPod.metadata, deletionTimestamp: new Date(90_000), finalizers };
      const { stopped, finalizers: kept } = podFacts({
        ...deploymentPod,
        metadata,
        status: { ...deploymentPod.status, ...status },
      } as V1Pod);
      return { stopped, kept };
    };
    expect(terminating({ containerStatuses: [ended, running] })).toEqual({ stopped: undefined, kept: undefined });
    expect(terminating({ containerStatuses: [ended] })).toMatchObject({ stopped: undefined });
    expect(terminating({})).toMatchObject({ stopped: undefined });
    expect(terminating({ containerStatuses: [ended, ended] })).toMatchObject({ stopped: true });
    expect(terminating({ phase: 'Failed' }, ['example.com/keep'])).toEqual({
      stopped: true,
      kept: ['example.com/keep'],
    });
    const crashing = { ...deploymentPod, status: { ...deploymentPod.status, containerStatuses: [ended, ended] } };
    expect(podFacts(crashing as unknown as V1Pod)).not.toHaveProperty('stopped');
  });

  it('names its claims, those of ephemeral volumes included, and its priority', () => {
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'web-data' } },
      { name: 'cache', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'secrets', csi: { driver: 'secrets-store.csi.k8s.io' } },
      { name: 'scratch', emptyDir: {} },
    ];
    expect(withSpec({ containers: [], volumes, priority: 2_000_000_000 })).toMatchObject({
      volumeClaims: ['web-data', 'web-7d4b9c6f5-x2x8p-cache'],
      ownVolumeClaims: ['web-7d4b9c6f5-x2x8p-cache'],
      priority: 2_000_000_000,
    });
    expect(withSpec({ containers: [] })).not.toHaveProperty('claims');
  });

  it('is owned by the run that removed it from endpoints, unless the annotation is not ours', () => {
    const marked = (text: string) =>
      podFacts({
        ...deploymentPod,
        metadata: { ...deploymentPod.metadata, annotations: { 'nodeferry.dev/removed-labels': text } },
      }).endpointsRemoved;
    const mark = { by: 'run-1', originalLabels: { app: 'web' } };
    expect(marked(JSON.stringify(mark))).toEqual(mark);
    for (const text of ['', 'yes', '{}', '{"by":"run-1"}', 'null', '"run-1"']) expect(marked(text)).toBeUndefined();
  });

  it('still belongs to its DaemonSet when that has released it because it was removed from endpoints', () => {
    const { ownerReferences: _none, ...metadata } = deploymentPod.metadata ?? {};
    const ownerOf = (mark: object) => {
      const annotations = {
        'nodeferry.dev/removed-labels': JSON.stringify({ by: 'run-1', originalLabels: {}, ...mark }),
      };
      return podFacts({ ...deploymentPod, metadata: { ...metadata, annotations } });
    };
    expect(ownerOf({ daemonSet: 'agent' })).toMatchObject({ ownerKind: 'DaemonSet', ownerName: 'agent' });
    expect(ownerOf({})).toMatchObject({ ownerKind: 'none', ownerName: '' });
  });

  it('tells by which topologies it keeps apart from pods like itself, as they are owned or once they have been released', () => {
    const apart = (terms: readonly object[]) => {
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
      return withSpec({ containers: [], affinity: { podAntiAffinity } }).keepsApartBy;
    };
    const like = (matchLabels: object) => ({ labelSelector: { matchLabels }, topologyKey: 'zone' });
    expect(apart([like({ app: 'web' }), { ...like({ app: 'web' }), topologyKey: 'host' }])).toEqual(['zone', 'host']);
    expect(apart([{ ...like({ app: 'web' }), namespaces: ['shop'] }])).toEqual(['zone']);
    expect(apart([{ ...like({ app: 'web' }), namespaces: ['other'] }])).toBeUndefined();
    expect(apart([like({ app: 'api' })])).toBeUndefined();
    // matchLabelKeys and mismatchLabelKeys, as the API server merges them: those of a released pod are held against its replacement.
    expect(apart([like({ app: 'web', 'pod-template-hash': '7d4b9c6f5' })])).toEqual(['zone']);
    const hashed = (operator: string, value = '7d4b9c6f5') => {
      const matchExpressions = [{ key: 'pod-template-hash', operator, values: [value] }];
      return { labelSelector: { matchLabels: { app: 'web' }, matchExpressions }, topologyKey: 'zone' };
    };
    expect(apart([hashed('In')])).toEqual(['zone']);
    expect(apart([hashed('In', 'other')])).toBeUndefined();
    expect(apart([hashed('NotIn')])).toEqual(['zone']);
    expect(withSpec({ containers: [] })).not.toHaveProperty('keepsApartBy');
  });

  it('tells by which topologies it prefers to be apart from pods like itself', () => {
    const apart = (app: string) => {
      const podAffinityTerm = { labelSelector: { matchLabels: { app } }, topologyKey: 'host' };
      const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] };
      return withSpec({ containers: [], affinity: { podAntiAffinity } });
    };
    expect(apart('web').prefersApartBy).toEqual(['host']);
    expect(apart('web')).not.toHaveProperty('keepsApartBy');
    expect(apart('api')).not.toHaveProperty('prefersApartBy');
  });

  it('tells which pods it must run beside', () => {
    const besides = (term: object) => {
      const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'host', ...term }] };
      return withSpec({ containers: [], affinity: { podAffinity } }).besides;
    };
    const labelSelector = { matchLabels: { app: 'cache' } };
    const told = { topologyKey: 'host', selector: labelSelector };
    expect(besides({ labelSelector })).toEqual([{ ...told, namespaces: ['shop'] }]);
    expect(besides({ labelSelector, namespaces: ['other'] })).toEqual([{ ...told, namespaces: ['other'] }]);
    expect(besides({ labelSelector, namespaceSelector: {} })).toEqual([told]);
  });

  it('tells how it is spread among pods like itself', () => {
    const spread = (changes: object) => {
      const plain = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
      const constraint = { ...plain, labelSelector: { matchLabels: { app: 'web' } }, ...changes };
      return withSpec({ containers: [], topologySpreadConstraints: [constraint] }).spreads?.[0];
    };
    const facts = { topologyKey: 'zone', maxSkew: 1, isRequired: true, countsReleased: true, countsCordoned: true };
    expect(spread({})).toEqual(facts);
    expect(spread({ whenUnsatisfiable: 'ScheduleAnyway' })).toEqual({ ...facts, isRequired: false });
    expect(spread({ matchLabelKeys: ['pod-template-hash'] })).toEqual({ ...facts, countsReleased: false });
    const merged = { matchLabels: { app: 'web', 'pod-template-hash': '7d4b9c6f5' } };
    expect(spread({ labelSelector: merged })).toEqual({ ...facts, countsReleased: false });
    expect(spread({ nodeTaintsPolicy: 'Honor' })).toEqual({ ...facts, countsCordoned: false });
    expect(spread({ labelSelector: { matchLabels: { app: 'api' } } })).toBeUndefined();
    expect(withSpec({ containers: [] })).not.toHaveProperty('spreads');
  });

  it('is owned by the run that released it, unless the annotation is not ours', () => {
    const marked = (text: string) => annotated({ 'nodeferry.dev/released': text }).released;
    const mark = {
      by: 'run-1',
      label: 'pod-template-hash',
      value: '7d4b9c6f5',
      replicaSet: { name: 'web-7d4b9c6f5', uid: 'rs-web' },
      workload: 'Deployment shop/web',
    };
    expect(marked(JSON.stringify(mark))).toEqual(mark);
    const others = ['', 'yes', '{}', 'null', JSON.stringify({ ...mark, replicaSet: undefined })];
    for (const text of others) expect(marked(text)).toBeUndefined();
  });

  it('is owned by the run that raised its deletion cost, unless the annotation is not ours', () => {
    const marked = (text: string) => annotated({ 'nodeferry.dev/deletion-cost-raised': text }).costRaisedBy;
    for (const before of [null, '5']) expect(marked(JSON.stringify({ by: 'run-1', before }))).toBe('run-1');
    for (const text of ['', '{}', 'null', '{"by":"run-1"}']) expect(marked(text)).toBeUndefined();
  });
});

describe('one observation of the cluster', () => {
  it('joins pods with their ReplicaSet, budgets with their pods and Services with their endpoints', () => {
    const elsewhere = {
      ...deploymentPod,
      metadata: { ...deploymentPod.metadata, namespace: 'other', uid: 'elsewhere' },
    };
    const facts = clusterFacts({
      ...nothing,
      pods: [podFacts(deploymentPod), podFacts(elsewhere)],
      services: [serviceFacts(localService, () => undefined) ?? never()],
      endpointSlices: [sliceFacts(slice('web-1', 'IPv4', ready)) ?? never()],
      podDisruptionBudgets: [budgetFacts(budget)],
      replicaSets: [replicaSetFacts(replicaSet)],
    });
    expect(facts.pods.map(({ namespace }) => namespace)).toEqual(['other', 'shop']);
    expect(facts.pods[1]).toMatchObject({
      ownerSelector: { app: 'web', 'pod-template-hash': '7d4b9c6f5' },
      workload: 'Deployment shop/web',
    });
    expect(facts.budgets).toEqual([
      {
        namespace: 'shop',
        name: 'web',
        podUids: [deploymentPod.metadata.uid],
        desiredHealthy: 3,
        currentHealthy: 4,
        disruptionsAllowed: 1,
        expectedPods: 4,
        demand: { field: 'maxUnavailable', amount: 1, isPercentage: false },
        selectorKeys: ['app'],
      },
    ]);
    expect(facts.services[0]?.endpoints).toEqual([
      {
        podUid: deploymentPod.metadata.uid,
        podName: deploymentPod.metadata.name,
        node: deploymentPod.spec.nodeName,
        ...ready,
      },
    ]);
  });

  it('tells which volume is attached to which node, in order', () => {
    const attachment = (name: string, source: object) =>
      attachmentFacts({ metadata: { name }, spec: { attacher: 'ebs.csi.aws.com', nodeName: 'n1', source } });
    const inline = attachment('csi-2', { inlineVolumeSpec: { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'v' } } });
    const bound = attachment('csi-1', { persistentVolumeName: 'pv-1' });
    expect(clusterFacts({ ...nothing, volumeAttachments: [inline, bound] }).volumeAttachments).toEqual([
      { node: 'n1', volume: 'pv-1', name: 'csi-1' },
      { node: 'n1', volume: undefined, name: 'csi-2' },
    ]);
  });

  it('knows a pod whose DaemonSet does not exist any more', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true };
    const pod = podFacts({ ...deploymentPod, metadata: { ...deploymentPod.metadata, ownerReferences: [owner] } });
    const daemonSet = daemonSetFacts({
      metadata: { name: 'agent', namespace: 'shop' },
      spec: { selector: {}, template: {} },
    });
    expect(clusterFacts({ ...nothing, pods: [pod] }).pods[0]).toMatchObject({ orphaned: true });
    expect(clusterFacts({ ...nothing, pods: [pod], daemonSets: [daemonSet] }).pods[0]).not.toHaveProperty('orphaned');
    expect(clusterFacts({ ...nothing, pods: [podFacts(deploymentPod)] }).pods[0]).not.toHaveProperty('orphaned');
  });

  it.each([
    [{ minAvailable: 3 }, { field: 'minAvailable', amount: 3, isPercentage: false }],
    [{ minAvailable: '90%' }, { field: 'minAvailable', amount: 90, isPercentage: true }],
    [{ maxUnavailable: 0 }, { field: 'maxUnavailable', amount: 0, isPercentage: false }],
    [{ maxUnavailable: '25%' }, { field: 'maxUnavailable', amount: 25, isPercentage: true }],
    [{}, undefined],
  ] as const)('reads what a budget with the spec %o demands', (spec, demand) => {
    expect(budgetFacts({ ...budget, spec }).facts.demand).toEqual(demand);
  });

  it('takes a budget that its controller has not seen for one that allows nothing', () => {
    expect(
      budgetFacts({ metadata: { name: 'new', namespace: 'shop' }, spec: { minAvailable: 1 } }).facts,
    ).toMatchObject({
      disruptionsAllowed: 0,
    });
  });
});

function never(): never {
  throw new Error('The object was left out.');
}
