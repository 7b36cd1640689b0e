import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { openCluster } from '../../../wiring/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createNode, createPod, grantDeployedRoles } from './objects.ts';

describe('observing a real API server', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    grantDeployedRoles(controlPlane);
    cluster = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  const nodeNames = async () => (await cluster.observe()).nodes.map(({ name }) => name);
  const node = async (name: string) => (await cluster.observe()).nodes.find((found) => found.name === name);
  const pod = async (name: string) => (await cluster.observe()).pods.find((found) => found.name === name);

  it('shows its own writes in the very next observation, every time', async () => {
    const ref = await createNode(controlPlane, 'own-writes');
    for (let round = 0; round < 20; round += 1) {
      const run = `run-${round}`;
      await cluster.cordon(ref, run);
      expect(await node(ref.name)).toMatchObject({ cordoned: true, ownership: { cordonedBy: run } });
      await cluster.uncordon(ref, run);
      expect(await node(ref.name)).toMatchObject({ cordoned: false, ownership: {} });
    }
  });

  it('shows what others wrote before the observation, every time', async () => {
    await createNode(controlPlane, 'others-write');
    for (let round = 0; round < 20; round += 1) {
      const labels = { round: String(round) };
      await controlPlane.api('PATCH', '/api/v1/nodes/others-write', { metadata: { labels } });
      expect((await node('others-write'))?.labels).toMatchObject(labels);
    }
  });

  it('shows objects that come and go', async () => {
    for (let round = 0; round < 10; round += 1) {
      await createNode(controlPlane, 'come-and-go');
      expect(await nodeNames()).toContain('come-and-go');
      await controlPlane.api('DELETE', '/api/v1/nodes/come-and-go');
      expect(await nodeNames()).not.toContain('come-and-go');
    }
  });

  it('never shows a deleted pod as staying', async () => {
    await createNode(controlPlane, 'holder');
    for (let round = 0; round < 10; round += 1) {
      const ref = await createPod(controlPlane, `short-${round}`, { node: 'holder' });
      expect(await pod(ref.name)).toMatchObject({ terminating: false });
      expect(await cluster.deletePod(ref)).toBe('done');
      expect((await pod(ref.name))?.terminating ?? true).toBe(true);
    }
  });

  it('keeps showing changes after its watches have been renewed many times', async () => {
    await createNode(controlPlane, 'long-lived');
    await delay(25_000);
    await controlPlane.api('PATCH', '/api/v1/nodes/long-lived', { metadata: { labels: { late: 'yes' } } });
    expect((await node('long-lived'))?.labels).toMatchObject({ late: 'yes' });
  });

  it('lets callers who ask at the same time share one observation', async () => {
    const observations = await Promise.all(Array.from({ length: 50 }, () => cluster.observe()));
    expect(new Set(observations).size).toBeLessThanOrEqual(2);
  });

  it('shows what network policies go by, and goes on without them where its role does not let it', async () => {
    await controlPlane.api('POST', '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'web' },
      spec: {
        podSelector: { matchLabels: { app: 'web' } },
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'edge' } }, namespaceSelector: {} }] }],
      },
    });
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/nodeferry';
    const granted = await controlPlane.api<{ rules: { resources: string[] }[] }>('GET', role);
    const freshness = { surroundingsKeptForMs: 0 };
    const other = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry'), freshness });
    try {
      expect(await other.observe()).toMatchObject({
        networkPolicies: [
          {
            key: 'NetworkPolicy default/web',
            selectors: [
              { namespace: 'default', labels: { matchLabels: { app: 'web' } } },
              { labels: { matchLabels: { app: 'edge' } } },
            ],
          },
        ],
        unread: [],
      });
      await controlPlane.api('PATCH', role, {
        rules: granted.rules.filter(({ resources }) => !resources.includes('networkpolicies')),
      });
      await expect
        .poll(async () => (await other.observe()).unread)
        .toEqual([
          {
            resource: 'networkpolicies.networking.k8s.io',
            hint: expect.stringContaining('"resources":["networkpolicies"],"verbs":["list"]'),
          },
        ]);
    } finally {
      other.close();
      await controlPlane.api('PATCH', role, { rules: granted.rules });
    }
  });

  it('shows volumes that are on one node and webhooks that fail closed, where nobody has installed a vertical autoscaler', async () => {
    await controlPlane.api('POST', '/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'on-n1' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: '/mnt/data' },
        claimRef: { namespace: 'default', name: 'data' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }] },
            ],
          },
        },
      },
    });
    const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
    await controlPlane.api('POST', webhooks, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'policies' },
      webhooks: [
        {
          name: 'pods.example.com',
          clientConfig: { service: { namespace: 'policies', name: 'hook' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          // No other test meets it.
          objectSelector: { matchLabels: { 'policies.example.com/asked': 'yes' } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    });
    await controlPlane.api('POST', apiServices, {
      metadata: { name: 'v1.metrics.example.com' },
      spec: {
        group: 'metrics.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'kube-system', name: 'metrics' },
      },
    });
    const freshness = { surroundingsKeptForMs: 0 };
    const other = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry'), freshness });
    try {
      expect(await other.observe()).toMatchObject({
        localVolumes: [{ volumeClaim: 'default/data', volume: 'on-n1', boundBy: 'kubernetes.io/hostname' }],
        resizers: [],
        apiServices: [{ key: 'APIService v1.metrics.example.com', service: 'kube-system/metrics' }],
        managedNodes: [],
        autoscaled: [],
        webhooks: [
          { key: 'ValidatingWebhookConfiguration policies, webhook pods.example.com', service: 'policies/hook' },
        ],
        unread: [],
      });
    } finally {
      other.close();
      await controlPlane.api('DELETE', `${webhooks}/policies`);
      await controlPlane.api('DELETE', `${apiServices}/v1.metrics.example.com`);
    }
  });

  it('says which rule is missing when its role lacks one', async () => {
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/nodeferry';
    const granted = await controlPlane.api<{ rules: { resources: string[] }[] }>('GET', role);
    await controlPlane.api('PATCH', role, {
      rules: granted.rules.filter(({ resources }) => !resources.includes('poddisruptionbudgets')),
    });
    const other = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
    try {
      await expect(other.observe()).rejects.toMatchObject({
        problem: {
          code: 'Forbidden',
          message: expect.stringContaining('list poddisruptionbudgets'),
          hint: expect.stringContaining('{"apiGroups":["policy"],"resources":["poddisruptionbudgets"]'),
        },
      });
      await controlPlane.api('PATCH', role, { rules: granted.rules });
      await expect.poll(() => other.observe().then(() => 'seen', String)).toBe('seen');
    } finally {
      other.close();
      await controlPlane.api('PATCH', role, { rules: granted.rules });
    }
  });
});
