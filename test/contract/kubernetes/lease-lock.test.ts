import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { describeLocks } from '../cases/locks.ts';
import { grantDeployedRoles } from './objects.ts';
import { openSubject, type RealSubject } from './subject.ts';

let controlPlane: ControlPlane;
let subject: RealSubject;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  grantDeployedRoles(controlPlane);
  subject = openSubject(controlPlane);
});

afterAll(async () => {
  subject?.close();
  await controlPlane?.stop();
});

describeLocks('a real API server', () => subject);

describe('the lock as a Lease of a real API server', () => {
  it('leaves no Lease behind when released', async () => {
    await subject.one.releaseLock(await subject.one.acquireLock('deleted', 'run-1', 30_000));
    const left = await controlPlane.api<{ items: { metadata: { name: string } }[] }>(
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/nodeferry/leases',
    );
    expect(left.items.map(({ metadata }) => metadata.name)).not.toContain('deleted');
  });

  it('keeps names apart that a Lease may not have', async () => {
    const upper = await subject.one.acquireLock('Prod_Web', 'run-1', 30_000);
    const lower = await subject.one.acquireLock('prod-web', 'run-2', 30_000);
    expect(upper.name).not.toBe(lower.name);
    await subject.one.renewLock(upper, 30_000);
  });

  it('is kept in the namespace default where there is no namespace nodeferry', async () => {
    const bare = await startControlPlane();
    const admin = createKubernetesCluster({ kubeconfig: bare.kubeconfig('admin') });
    try {
      await admin.acquireLock('fallback', 'run-1', 30_000);
      await bare.api('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/fallback');
    } finally {
      admin.close();
      await bare.stop();
    }
  });
});
