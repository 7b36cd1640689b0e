import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod, V1PodList, V1ResourceQuota } from '@kubernetes/client-node';
import { beforeAll, expect, it } from 'vitest';
import type { ControlPlane } from '../../support/control-plane.ts';
import { describeOwnership } from '../cases/ownership.ts';
import { type Deployments, fromOwner, podsOf } from '../cases/ownership-subject.ts';
import { createBudget, createNode, createPod } from './objects.ts';
import { useRealCluster } from './subject.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const pods = '/api/v1/namespaces/default/pods';

const real = useRealCluster({
  controllers: [
    'deployment-controller',
    'replicaset-controller',
    'disruption-controller',
    'endpointslice-controller',
    'garbage-collector-controller',
    'resourcequota-controller',
  ],
});

beforeAll(async () => {
  for (const name of ['old-1', 'old-2', 'new-1', 'new-2', 'new-3']) await createNode(real.controlPlane, name);
});

describeOwnership('a real API server with the real controllers', () => ({
  one: real.subject.one,
  deployments: realDeployments(real.controlPlane),
}));

it('a released pod is taken and ended by whatever ReplicaSet selects it without its label', async () => {
  const subject = { one: real.subject.one, deployments: realDeployments(real.controlPlane) };
  await subject.deployments.deploy('taken', 1, ['old-1']);
  await createTaker(real.controlPlane, 'taken');
  await expect
    .poll(async () => (await subject.one.observe()).workloads.find(({ name }) => name === 'taken-taker')?.takes)
    .toEqual({ matchLabels: { app: 'taken' } });
  const [pod] = await podsOf(subject, 'taken');
  if (pod === undefined) throw new Error('there is no pod');
  expect(await subject.one.release(pod, fromOwner(pod), 'run-1')).toBe('done');
  await expect.poll(async () => (await podsOf(subject, 'taken')).map(({ uid }) => uid)).not.toContain(pod.uid);
});

/** A ReplicaSet that shall have no pod, with the selector of the Deployment's Service. */
async function createTaker(controlPlane: ControlPlane, app: string): Promise<void> {
  const labels = { app };
  const spec = { containers: [{ name: 'app', image: 'app.example/app:1' }] };
  await controlPlane.api('POST', '/apis/apps/v1/namespaces/default/replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `${app}-taker` },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

/** There is no scheduler and no kubelet: pods are bound and become Ready by hand, and end as soon as they are deleted. */
function realDeployments(controlPlane: ControlPlane): Deployments {
  const podsOf = async (name: string) =>
    (await controlPlane.api<V1PodList>('GET', `${pods}?labelSelector=app%3D${name}`)).items;
  const start = async (name: string, nodes: readonly string[]) => {
    const waiting = (await podsOf(name)).filter(({ spec }) => spec?.nodeName === undefined);
    for (const [index, pod] of waiting.entries()) await startPod(controlPlane, pod, nodes[index % nodes.length] ?? '');
  };
  const has = async (name: string, count: number) => {
    while ((await podsOf(name)).length < count) await delay(50);
  };
  return {
    deploy: async (name, replicas, nodes) => {
      await createBudget(controlPlane, name, { maxUnavailable: 0 });
      await createService(controlPlane, name);
      await createDeployment(controlPlane, name, replicas);
      await has(name, replicas);
      await start(name, nodes);
    },
    start,
    scale: async (name, replicas) => {
      await controlPlane.api('PATCH', `${deployments}/${name}`, { spec: { replicas } });
    },
    changeTemplate: async (name) => {
      const template = { metadata: { annotations: { version: '2' } } };
      await controlPlane.api('PATCH', `${deployments}/${name}`, { spec: { template } });
    },
    pause: async (name) => {
      await controlPlane.api('PATCH', `${deployments}/${name}`, { spec: { paused: true } });
    },
    remove: async (name) => {
      await controlPlane.api('DELETE', `${deployments}/${name}?propagationPolicy=Background`);
    },
    setDeletionCost: async (pod, cost) => {
      await controlPlane.api('PATCH', `${pods}/${pod}`, { metadata: { annotations: { [deletionCost]: cost } } });
    },
    deletionCostOf: async (pod) =>
      (await controlPlane.api<V1Pod>('GET', `${pods}/${pod}`)).metadata?.annotations?.[deletionCost],
    annotate: async (pod, annotations) => {
      await controlPlane.api('PATCH', `${pods}/${pod}`, { metadata: { annotations } });
    },
    annotationsOf: async (pod) => (await controlPlane.api<V1Pod>('GET', `${pods}/${pod}`)).metadata?.annotations ?? {},
    forbidNoOwner: async (name) => await forbidNoOwner(controlPlane, name),
    limitPods: async (name, toThoseThere) => await limitPods(controlPlane, name, toThoseThere),
    passTime: async () => await delay(100),
  };
}

let started = 0;

async function startPod(controlPlane: ControlPlane, { metadata }: V1Pod, node: string): Promise<void> {
  const name = metadata?.name ?? '';
  await controlPlane.api('POST', `${pods}/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });
  started += 1;
  const podIP = `10.244.0.${started}`;
  const conditions = ['Ready', 'ContainersReady', 'PodScheduled', 'Initialized'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: new Date().toISOString(),
  }));
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions };
  await controlPlane.api('PATCH', `${pods}/${name}/status`, { status });
}

/** A policy as those that forbid bare pods are, with the code of a webhook: ReplicaSets take 422 for done (controller_ref_manager.go, ReleasePod). */
async function forbidNoOwner(controlPlane: ControlPlane, app: string): Promise<void> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  await controlPlane.api('POST', `${group}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: app },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] }],
        objectSelector: { matchLabels: { app } },
      },
      validations: [
        { expression: 'has(object.metadata.ownerReferences)', message: 'pods need an owner', reason: 'Forbidden' },
      ],
    },
  });
  await controlPlane.api('POST', `${group}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: app },
    spec: { policyName: app, validationActions: ['Deny'] },
  });
  // The API server hears of its own policies by a watch.
  const pod = `${pods}/${app}-bare`;
  await createPod(controlPlane, `${app}-bare`, { labels: { app } });
  const change = async (at: number) =>
    await controlPlane.api('PATCH', pod, { metadata: { labels: { at: String(at) } } });
  for (let at = 0; ; at += 1) {
    const refused = await change(at).then(
      () => false,
      () => true,
    );
    if (refused) break;
    await delay(100);
  }
  await controlPlane.api('DELETE', pod);
}

const quotas = '/api/v1/namespaces/default/resourcequotas';

/** A quota is kept once its controller has counted what is there. */
async function limitPods(controlPlane: ControlPlane, name: string, toThoseThere: boolean): Promise<void> {
  if (!toThoseThere) {
    await controlPlane.api('DELETE', `${quotas}/${name}`);
    return;
  }
  const there = (await controlPlane.api<V1PodList>('GET', pods)).items.length;
  await controlPlane.api('POST', quotas, { metadata: { name }, spec: { hard: { pods: String(there) } } });
  const used = async () => (await controlPlane.api<V1ResourceQuota>('GET', `${quotas}/${name}`)).status?.used?.['pods'];
  while ((await used()) === undefined) await delay(50);
}

async function createService(controlPlane: ControlPlane, name: string): Promise<void> {
  await controlPlane.api('POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  });
}

async function createDeployment(controlPlane: ControlPlane, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const spec = { containers: [{ name: 'app', image: 'app.example/app:1' }], terminationGracePeriodSeconds: 0 };
  await controlPlane.api('POST', deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}
