import { setTimeout as delay } from 'node:timers/promises';
import type { V1ResourceQuota } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { sum, usageOf } from '../../../core/pod-surge/replacement-needs.ts';
import { quota as quotaRule } from '../../../core/pod-surge/rules/quota.ts';
import { openCluster } from '../../../wiring/cluster.ts';
import { aPolicy } from '../../core/support/facts.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { grantDeployedRoles } from './objects.ts';

/** Resources of the containers of a pod, and what is beside them. */
interface Shape {
  readonly containers: readonly object[];
  readonly init?: readonly object[];
}

const small = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m' } };
const plain: Shape = { containers: [small] };
const bare: Shape = { containers: [{}] };
const many: Shape = {
  containers: [small, { requests: { cpu: '1' } }],
  init: [
    { resources: { requests: { cpu: '3', memory: '1Gi' } } },
    { resources: { requests: { cpu: '0.5' } }, restartPolicy: 'Always' },
    { resources: { requests: { memory: '2Gi' } } },
  ],
};

/** What lets another pod like the one that is there be created, or does not. */
const cases: readonly (readonly [string, Shape, { readonly hard?: object; readonly limit?: object }])[] = [
  ['room for another', plain, { hard: { pods: '2', 'requests.cpu': '200m', 'limits.cpu': '400m' } }],
  ['none for its CPU', plain, { hard: { 'requests.cpu': '199m' } }],
  ['none for its memory', plain, { hard: { memory: '100Mi' } }],
  ['none for its limits', plain, { hard: { 'limits.cpu': '399m' } }],
  ['none for another object', plain, { hard: { 'count/pods': '1' } }],
  ['none for what it does not take', plain, { hard: { 'requests.ephemeral-storage': '0' } }],
  ['limits that it does not say', plain, { hard: { 'limits.memory': '9Gi' } }],
  ['requests that it does not say', bare, { hard: { 'requests.cpu': '9' } }],
  ['requests that it gets', bare, { hard: { 'requests.cpu': '9' }, limit: { defaultRequest: { cpu: '1' } } }],
  [
    'requests that it gets, and no room for them',
    bare,
    { hard: { 'requests.cpu': '1' }, limit: { default: { cpu: '2' } } },
  ],
  ['a limit that it gets below its request', plain, { limit: { default: { memory: '1Mi' } } }],
  ['a maximum below it', plain, { limit: { max: { cpu: '150m' } } }],
  ['a maximum above it', plain, { limit: { max: { cpu: '200m' } } }],
  ['a maximum of what it has no limit of, and gets', plain, { limit: { max: { 'ephemeral-storage': '1Gi' } } }],
  ['a minimum above it', plain, { limit: { min: { memory: '65Mi' } } }],
  ['a minimum below it', plain, { limit: { min: { memory: '64Mi' } } }],
  ['a ratio below its own', plain, { limit: { maxLimitRequestRatio: { cpu: '1.5' } } }],
  ['a ratio of its own', plain, { limit: { maxLimitRequestRatio: { cpu: '2' } } }],
  ['a maximum for the pod below it', { containers: [small, small] }, { limit: { type: 'Pod', max: { cpu: '399m' } } }],
  ['a maximum for the pod above it', { containers: [small, small] }, { limit: { type: 'Pod', max: { cpu: '400m' } } }],
  [
    'room for its init containers',
    many,
    {
      hard: { 'requests.cpu': '6', 'requests.memory': '9Gi' },
      limit: { default: { memory: '4Gi' }, defaultRequest: { cpu: '1m' } },
    },
  ],
  [
    'none for its init containers',
    many,
    { hard: { 'requests.ephemeral-storage': '1', cpu: '5999m' }, limit: { defaultRequest: { cpu: '1m' } } },
  ],
];

describe('quotas and limit ranges of a real API server', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ['resourcequota-controller'] });
    grantDeployedRoles(controlPlane);
    const freshness = { surroundingsKeptForMs: 0 };
    cluster = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry'), freshness });
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  it.each(cases.map((one, index) => [...one, `case-${index}`] as const))(
    'with %s, say of another pod what the API server says, and count as its controller counts',
    async (_, shape, { hard, limit }, namespace) => {
      await controlPlane.api('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      const at = `/api/v1/namespaces/${namespace}`;
      await controlPlane.api('POST', `${at}/pods`, podOf(shape));
      if (limit !== undefined) await limitContainers(at, limit);
      const used = hard === undefined ? undefined : await limitTo(at, hard);
      const facts = await cluster.observe();
      const pods = facts.pods.filter((pod) => pod.namespace === namespace);
      const [pod] = pods;
      if (pod === undefined) throw new Error('there is no pod');
      const counted = sum(pods.map((one) => usageOf(one, one.needs)));
      for (const [name, amount] of Object.entries(used ?? {})) expect(counted[name] ?? 0).toBeCloseTo(amount, 6);
      const context = { cluster: facts, policy: aPolicy(), sharedVolumeClaims: new Set<string>() };
      const answer = await refusalOf(`${at}/pods`, podOf(shape));
      const said = quotaRule(pod, context)?.reason;
      expect(said === undefined, `${answer ?? 'created'}; ${said ?? 'no refusal'}`).toBe(answer === undefined);
    },
  );

  /** With a limit range, of which the API server hears by a watch. */
  async function limitContainers(at: string, limit: object): Promise<void> {
    const range = { type: 'Container', ...limit };
    await controlPlane.api('POST', `${at}/limitranges`, {
      metadata: { name: 'limits' },
      spec: { limits: [range, { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] },
    });
    await untilRefused(`${at}/persistentvolumeclaims`, {
      metadata: { name: 'too-large' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
  }

  /** What is used of a quota, once its controller has counted the pods and the API server has heard of it. */
  async function limitTo(at: string, hard: object): Promise<Readonly<Record<string, number>>> {
    let heardOf: string | undefined;
    do {
      heardOf = (await usedOf(at, 'pods-heard-of', { pods: '100' }))['pods'];
      await controlPlane.api('DELETE', `${at}/resourcequotas/pods-heard-of`);
    } while (heardOf !== '1');
    const used = await usedOf(at, 'quota', hard);
    await usedOf(at, 'quotas-heard-of', { 'count/configmaps': '0' });
    await untilRefused(`${at}/configmaps`, { metadata: { name: 'one-too-many' } });
    return amountsIn(used);
  }

  /** What the controller counts for a new quota, once: the pods that it has heard of by then, and again only after minutes. */
  async function usedOf(at: string, name: string, hard: object): Promise<Readonly<Record<string, string>>> {
    await controlPlane.api('POST', `${at}/resourcequotas`, { metadata: { name }, spec: { hard } });
    for (;;) {
      const { status } = await controlPlane.api<V1ResourceQuota>('GET', `${at}/resourcequotas/${name}`);
      if (status?.used !== undefined) return status.used;
      await delay(50);
    }
  }

  /** Until the API server has heard, by the same watch as of what matters, of what forbids this object. */
  async function untilRefused(path: string, body: object): Promise<void> {
    while ((await refusalOf(path, body)) === undefined) await delay(20);
  }

  /** What the API server says to an object; undefined when it takes it. */
  async function refusalOf(path: string, body: object): Promise<string | undefined> {
    return await controlPlane.api('POST', `${path}?dryRun=All`, body).then(() => undefined, String);
  }
});

/** By hand, so that what reads them for the product is not its own witness. */
function amountsIn(quantities: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const factors: Readonly<Record<string, number>> = { m: 0.001, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };
  return Object.fromEntries(
    Object.entries(quantities).map(([name, text]) => [
      name,
      Number.parseFloat(text) * (factors[text.replace(/[\d.]+/, '')] ?? 1),
    ]),
  );
}

function podOf({ containers, init = [] }: Shape): object {
  const image = 'app.example/app:1';
  return {
    metadata: { generateName: 'web-' },
    spec: {
      containers: containers.map((resources, index) => ({ name: `app-${index}`, image, resources })),
      initContainers: init.map((one, index) => ({ name: `init-${index}`, image, ...one })),
    },
  };
}
