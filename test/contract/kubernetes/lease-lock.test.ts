import { describe, expect, it } from 'vitest';

import { openCluster } from '../../../wiring/cluster.ts';
import { startControlPlane } from '../../support/control-plane.ts';
import { describeLocks } from '../cases/locks.ts';
import { useRealCluster } from './subject.ts';

const real = useRealCluster();

describeLocks('a real API server', () => real.subject);

describe('the lock as a Lease of a real API server', () => {
  it('is of a cluster that all workers know by the same UID', async () => {
    const { one, other } = real.subject;
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await real.controlPlane.api<{ metadata: { uid: string } }>('GET', path);
    expect([await one.findClusterUid(), await other.findClusterUid()]).toEqual([metadata.uid, metadata.uid]);
  });

  it('leaves no Lease behind when released', async () => {
    await real.subject.one.releaseLock(await real.subject.one.acquireLock('deleted', 'run-1', 30_000));
    const left = await real.controlPlane.api<{ items: { metadata: { name: string } }[] }>(
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/nodeferry/leases',
    );
    expect(left.items.map(({ metadata }) => metadata.name)).not.toContain('deleted');
  });

  it('keeps names apart that a Lease may not have', async () => {
    const upper = await real.subject.one.acquireLock('Prod_Web', 'run-1', 30_000);
    const lower = await real.subject.one.acquireLock('prod-web', 'run-2', 30_000);
    expect(upper.name).not.toBe(lower.name);
    await real.subject.one.renewLock(upper, 30_000);
  });

  it('is kept in the namespace default where there is no namespace nodeferry', async () => {
    const bare = await startControlPlane();
    const admin = openCluster({ kubeconfig: bare.kubeconfig('admin') });
    try {
      await admin.acquireLock('fallback', 'run-1', 30_000);
      await bare.api('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/fallback');
    } finally {
      admin.close();
      await bare.stop();
    }
  });
});
