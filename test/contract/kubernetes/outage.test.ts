import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { openCluster } from '../../../wiring/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createNode, grantDeployedRoles } from './objects.ts';

const unreachable = { problem: { code: 'ClusterUnreachable' } };

describe('a real API server that fails', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    grantDeployedRoles(controlPlane);
    cluster = openCluster({
      kubeconfig: controlPlane.kubeconfig('nodeferry'),
      requestTimeoutMs: 2_000,
      freshness: { freshWithinMs: 4_000, headTimeoutMs: 1_000 },
    });
    await createNode(controlPlane, 'first');
    await cluster.observe();
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  const names = async () => (await cluster.observe()).nodes.map(({ name }) => name);

  it('answers an observation with ClusterUnreachable while it is down, and with fresh facts when it is back', async () => {
    await controlPlane.killApiServer();
    await expect(cluster.observe()).rejects.toMatchObject(unreachable);
    await expect(cluster.acquireLock('down', 'run-1', 30_000)).rejects.toMatchObject(unreachable);
    await controlPlane.startApiServer();
    await createNode(controlPlane, 'second');
    expect(await names()).toEqual(['first', 'second']);
  });

  it('carries on through a restart that is shorter than the time it may try', async () => {
    const patient = openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
    try {
      await patient.observe();
      await controlPlane.killApiServer();
      const observation = patient.observe();
      await controlPlane.startApiServer();
      expect((await observation).nodes.map(({ name }) => name)).toContain('first');
    } finally {
      patient.close();
    }
  });

  it('does not take an open connection on which nothing comes for a fresh cache', async () => {
    await cluster.observe();
    await controlPlane.freezeApiServer();
    try {
      await expect(cluster.observe()).rejects.toMatchObject(unreachable);
    } finally {
      controlPlane.thawApiServer();
    }
    await createNode(controlPlane, 'third');
    await expect.poll(names).toContain('third');
  });

  it('names the address problem when nobody listens', async () => {
    await controlPlane.killApiServer();
    try {
      await expect(cluster.observe()).rejects.toMatchObject({
        problem: { code: 'ClusterUnreachable', message: expect.stringContaining('ECONNREFUSED') },
      });
    } finally {
      await controlPlane.startApiServer();
    }
  });

  it('reads everything anew when the history it needs is gone', async () => {
    await names();
    await controlPlane.killApiServer();
    // Without the history since the cache's last event, the watch can only be answered with 410 Gone.
    await controlPlane.compactHistory();
    await controlPlane.startApiServer();
    await createNode(controlPlane, 'after-compaction');
    await expect.poll(names).toContain('after-compaction');
  });
});
