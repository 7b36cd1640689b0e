import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKubernetesCluster, type KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { grantDeployedRoles } from './objects.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/nodeferry/leases';

describe('the lock as a Lease of a real API server', () => {
  let controlPlane: ControlPlane;
  let one: KubernetesCluster;
  let other: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    grantDeployedRoles(controlPlane);
    one = createKubernetesCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
    other = createKubernetesCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
  });

  afterAll(async () => {
    one?.close();
    other?.close();
    await controlPlane?.stop();
  });

  /** Makes the lease look as if its holder had not renewed it for a minute. */
  const expire = (name: string) =>
    controlPlane.api('PATCH', `${leases}/${name}`, {
      spec: { renewTime: new Date(Date.now() - 60_000).toISOString().replace('Z', '000Z'), leaseDurationSeconds: 1 },
    });

  it('belongs to one holder, who may take it again and renew it', async () => {
    const lock = await one.acquireLock('single', 'run-1', 30_000);
    expect(lock).toEqual({ name: 'single', holder: 'run-1', token: 1 });
    await expect(other.acquireLock('single', 'run-2', 30_000)).rejects.toMatchObject({
      problem: { code: 'LockHeld', message: expect.stringContaining('held by run-1') },
    });
    expect(await one.acquireLock('single', 'run-1', 30_000)).toEqual(lock);
    await one.renewLock(lock, 30_000);
  });

  it('goes to another holder once it has expired, with a higher token, and is lost to the first', async () => {
    const old = await one.acquireLock('expiring', 'run-1', 30_000);
    await expire('expiring');
    const taken = await other.acquireLock('expiring', 'run-2', 30_000);
    expect(taken.token).toBe(old.token + 1);
    await expect(one.renewLock(old, 30_000)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
    await one.releaseLock(old);
    await other.renewLock(taken, 30_000);
  });

  it('tells whether a holder has it, whatever the token, expired or not', async () => {
    await expect(one.requireLock('asked', 'run-1')).rejects.toMatchObject({
      problem: { code: 'LockLost', message: expect.stringContaining('it is gone') },
    });
    await one.acquireLock('asked', 'run-1', 30_000);
    await other.requireLock('asked', 'run-1');
    await expire('asked');
    await other.requireLock('asked', 'run-1');
    await other.acquireLock('asked', 'run-2', 30_000);
    await expect(one.requireLock('asked', 'run-1')).rejects.toMatchObject({
      problem: { code: 'LockLost', message: expect.stringContaining('run-2 holds it') },
    });
  });

  it('stays with a holder who renews late, as long as nobody has taken it', async () => {
    const lock = await one.acquireLock('late', 'run-1', 30_000);
    await expire('late');
    await one.renewLock(lock, 30_000);
    await expect(other.acquireLock('late', 'run-2', 30_000)).rejects.toMatchObject({ problem: { code: 'LockHeld' } });
  });

  it('goes to exactly one of many who want it at once', async () => {
    const wanted = Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? one : other).acquireLock('contended', `run-${index}`, 30_000),
    );
    const results = await Promise.allSettled(wanted);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.problem.code] : []));
    expect(new Set(refusals)).toEqual(new Set(['LockHeld']));
  });

  it('leaves no Lease behind when released, and is lost to whoever still holds on', async () => {
    const lock = await one.acquireLock('released', 'run-1', 30_000);
    await one.releaseLock(lock);
    await one.releaseLock(lock);
    const left = await controlPlane.api<{ items: { metadata: { name: string } }[] }>('GET', leases);
    expect(left.items.map(({ metadata }) => metadata.name)).not.toContain('released');
    await expect(one.renewLock(lock, 30_000)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
  });

  it('keeps names apart that a Lease may not have', async () => {
    const upper = await one.acquireLock('Prod_Web', 'run-1', 30_000);
    const lower = await one.acquireLock('prod-web', 'run-2', 30_000);
    expect(upper.name).not.toBe(lower.name);
    await one.renewLock(upper, 30_000);
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
