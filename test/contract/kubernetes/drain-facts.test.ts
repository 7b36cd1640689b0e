import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { decideVolumesDetached, remainingClaims } from '../../../core/eviction/attached-volumes.ts';
import { openCluster } from '../../../wiring/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createNode, createPod, grantDeployedRoles } from './objects.ts';

const namespaced = '/api/v1/namespaces/default';

describe('what drain rules ask of a real API server', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    grantDeployedRoles(controlPlane);
    cluster = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
    await createNode(controlPlane, 'node-1');
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  const pod = async (name: string) => (await cluster.observe()).pods.find((found) => found.name === name);

  /** A claim that is bound to a volume, which is attached to the node: as provisioner, binder and attacher would leave it. */
  async function attach(volumeClaim: string, node: string): Promise<void> {
    const volumeName = `pv-${volumeClaim}`;
    await controlPlane.api('POST', `${namespaced}/persistentvolumeclaims`, {
      metadata: { name: volumeClaim },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName },
    });
    await controlPlane.api('POST', '/apis/storage.k8s.io/v1/volumeattachments', {
      metadata: { name: `csi-${volumeClaim}` },
      spec: { attacher: 'ebs.csi.aws.com', nodeName: node, source: { persistentVolumeName: volumeName } },
    });
  }

  it('sees which pods their owners do not want disrupted, and the priority that a class gives', async () => {
    await createPod(controlPlane, 'do-not-disrupt', {
      node: 'node-1',
      annotations: {
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
        'karpenter.sh/do-not-disrupt': '4h',
      },
      spec: { priorityClassName: 'system-cluster-critical' },
    });
    expect(await pod('do-not-disrupt')).toMatchObject({
      safeToEvict: 'false',
      doNotDisrupt: 'for-good',
      priority: 2_000_000_000,
    });
    const startTime = '2026-01-01T00:00:00Z';
    await controlPlane.api('PATCH', `${namespaced}/pods/do-not-disrupt/status`, { status: { startTime } });
    expect(await pod('do-not-disrupt')).toMatchObject({ doNotDisrupt: Date.parse(startTime) + 4 * 3_600_000 });
    await controlPlane.api('PATCH', '/api/v1/nodes/node-1', {
      metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    });
    expect((await cluster.observe()).nodes[0]).toMatchObject({ doNotDisrupt: true });
  });

  it('sees who keeps a pod that terminates, and that nothing of it runs any more', async () => {
    const ref = await createPod(controlPlane, 'kept', {
      node: 'node-1',
      finalizers: ['example.com/keep'],
      ready: true,
    });
    await cluster.evict(ref, { dryRun: false });
    const seen = await pod('kept');
    expect(seen).toMatchObject({ terminating: true, finalizers: ['example.com/keep'] });
    expect(seen).not.toHaveProperty('stopped');
    await controlPlane.api('PATCH', `${namespaced}/pods/kept/status`, { status: { phase: 'Succeeded' } });
    expect(await pod('kept')).toMatchObject({ stopped: true, killedAt: seen?.killedAt });
  });

  it('sees that the DaemonSet of a pod does not exist, and that it does', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds-1', controller: true };
    await createPod(controlPlane, 'agent-1', { node: 'node-1', owner });
    expect(await pod('agent-1')).toMatchObject({ ownerKind: 'DaemonSet', orphaned: true });
    const labels = { app: 'agent' };
    await controlPlane.api('POST', '/apis/apps/v1/namespaces/default/daemonsets', {
      metadata: { name: 'agent' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app.example/app:1' }] } },
      },
    });
    expect(await pod('agent-1')).not.toHaveProperty('orphaned');
  });

  it('tells the volumes of DaemonSet pods, by claim or of their own, from those that have to leave the node', async () => {
    const node = await createNode(controlPlane, 'node-2');
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds-1', controller: true };
    const template = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const volumes = [
      { name: 'cache', persistentVolumeClaim: { claimName: 'agent-cache' } },
      { name: 'spool', ephemeral: { volumeClaimTemplate: template } },
      { name: 'secrets', csi: { driver: 'secrets-store.csi.k8s.io' } },
      { name: 'lost', persistentVolumeClaim: { claimName: 'nobody-made-it' } },
    ];
    await createPod(controlPlane, 'agent-2', { node: 'node-2', owner, spec: { volumes } });
    for (const volumeClaim of ['agent-cache', 'agent-2-spool', 'data']) await attach(volumeClaim, 'node-2');

    const facts = await cluster.observe();
    const staying = await cluster.readVolumeClaims(remainingClaims(node, facts, 0));
    expect(staying.map(({ volume }) => volume)).toEqual(['pv-agent-cache', 'pv-agent-2-spool']);
    expect(decideVolumesDetached(node, facts, staying)).toEqual({
      done: false,
      reason: 'node-2 still has attached volumes: pv-data',
    });
    await controlPlane.api('DELETE', '/apis/storage.k8s.io/v1/volumeattachments/csi-data');
    expect(decideVolumesDetached(node, await cluster.observe(), staying)).toMatchObject({ done: true });
  });

  it('takes a claim that is not bound yet for one without a volume', async () => {
    await controlPlane.api('POST', `${namespaced}/persistentvolumeclaims`, {
      metadata: { name: 'pending' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(await cluster.readVolumeClaims([{ namespace: 'default', name: 'pending' }])).toEqual([
      { namespace: 'default', name: 'pending', volume: undefined, isShared: false },
    ]);
    expect(await cluster.readVolumeClaims([{ namespace: 'default', name: 'nobody-made-it' }])).toEqual([]);
  });

  it.each([
    ['ReadWriteMany', true],
    ['ReadOnlyMany', true],
    ['ReadWriteOncePod', false],
  ])('tells whether any number of nodes may mount the volume of a claim: %s', async (mode, isShared) => {
    const name = mode.toLowerCase();
    await controlPlane.api('POST', `${namespaced}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } } },
    });
    expect(await cluster.readVolumeClaims([{ namespace: 'default', name }])).toMatchObject([{ isShared }]);
  });
});
