import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKubernetesCluster, type KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createBudget, createNode, createPod, grantDeployedRoles } from './objects.ts';

const really = { dryRun: false };

describe('evicting from a real API server with the real disruption controller', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ['disruption-controller'] });
    grantDeployedRoles(controlPlane);
    cluster = createKubernetesCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
    await createNode(controlPlane, 'node-1');
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  const serve = (name: string, app: string) =>
    createPod(controlPlane, name, { node: 'node-1', labels: { app }, ready: true });
  const budget = async (name: string) => (await cluster.observe()).budgets.find((found) => found.name === name);
  const pod = async (name: string) => (await cluster.observe()).pods.find((found) => found.name === name);

  it('evicts a pod that no budget covers', async () => {
    const ref = await serve('free', 'free');
    expect(await cluster.evict(ref, really)).toEqual({ outcome: 'evicted' });
    expect((await pod('free'))?.terminating ?? true).toBe(true);
  });

  it('keeps the pod when it only asks', async () => {
    const ref = await serve('asked', 'asked');
    expect(await cluster.evict(ref, { dryRun: true })).toEqual({ outcome: 'evicted' });
    expect(await pod('asked')).toMatchObject({ terminating: false });
  });

  it('keeps the grace period that the pod asks for', async () => {
    const ref = await serve('graceful', 'graceful');
    await cluster.evict(ref, really);
    const object = await controlPlane.api<{ metadata: { deletionGracePeriodSeconds: number } }>(
      'GET',
      '/api/v1/namespaces/default/pods/graceful',
    );
    expect(object.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('tells who blocks and what it needs when the budget allows no more', async () => {
    const refs = [await serve('api-1', 'api'), await serve('api-2', 'api')];
    await createBudget(controlPlane, 'api', { minAvailable: 2 });
    await expect
      .poll(() => budget('api'))
      .toMatchObject({ currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 });
    expect((await budget('api'))?.podUids.toSorted()).toEqual(refs.map(({ uid }) => uid).toSorted());
    for (const ref of refs) {
      const outcome = await cluster.evict(ref, really);
      expect(outcome).toMatchObject({ outcome: 'blocked-by-budget', retryAfterMs: expect.any(Number) });
      expect(outcome).toMatchObject({ message: expect.stringContaining('api') });
      expect(outcome).toMatchObject({ message: expect.stringMatching(/needs 2 healthy pods and has 2/) });
    }
    expect(await cluster.evict(refs[0] ?? never(), { dryRun: true })).toMatchObject({ outcome: 'blocked-by-budget' });
  });

  it('lets one go and blocks the next when the budget allows one', async () => {
    const first = await serve('web-1', 'web');
    const second = await serve('web-2', 'web');
    await createBudget(controlPlane, 'web', { maxUnavailable: 1 });
    // maxUnavailable needs a controller to count from; minAvailable of one out of two says the same here.
    await controlPlane.api('PATCH', '/apis/policy/v1/namespaces/default/poddisruptionbudgets/web', {
      spec: { maxUnavailable: null, minAvailable: 1 },
    });
    await expect.poll(() => budget('web')).toMatchObject({ disruptionsAllowed: 1 });
    expect(await cluster.evict(first, really)).toEqual({ outcome: 'evicted' });
    expect(await cluster.evict(second, really)).toMatchObject({ outcome: 'blocked-by-budget' });
  });

  it('takes a pod covered by two budgets for impossible', async () => {
    const ref = await serve('twice', 'twice');
    await createBudget(controlPlane, 'twice-a', { minAvailable: 0 }, 'twice');
    await createBudget(controlPlane, 'twice-b', { minAvailable: 0 }, 'twice');
    await expect.poll(async () => (await budget('twice-b'))?.podUids).toEqual([ref.uid]);
    expect(await cluster.evict(ref, really)).toMatchObject({
      outcome: 'impossible',
      message: expect.stringContaining('more than one PodDisruptionBudget'),
    });
  });

  it('takes a pod that is not there, or has another UID now, for gone', async () => {
    const ref = await serve('reborn', 'reborn');
    expect(await cluster.evict({ ...ref, name: 'nobody' }, really)).toEqual({ outcome: 'gone' });
    expect(await cluster.evict({ ...ref, uid: 'another' }, really)).toEqual({ outcome: 'gone' });
    expect(await pod('reborn')).toMatchObject({ terminating: false });
  });

  it('may be repeated', async () => {
    const ref = await serve('again', 'again');
    expect(await cluster.evict(ref, really)).toEqual({ outcome: 'evicted' });
    expect(['evicted', 'gone']).toContain((await cluster.evict(ref, really)).outcome);
  });

  it('says which rule is missing when its role may not evict', async () => {
    const ref = await serve('forbidden', 'forbidden');
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/nodeferry';
    const granted = await controlPlane.api<{ rules: { resources: string[] }[] }>('GET', role);
    await controlPlane.api('PATCH', role, {
      rules: granted.rules.filter(({ resources }) => !resources.includes('pods/eviction')),
    });
    const forbidden = { code: 'Forbidden', hint: expect.stringContaining('"pods/eviction"') };
    await expect
      .poll(() => cluster.evict(ref, { dryRun: true }).catch((error: { problem: unknown }) => error.problem))
      .toMatchObject(forbidden);
    await controlPlane.api('PATCH', role, { rules: granted.rules });
  });
});

function never(): never {
  throw new Error('There are two pods.');
}
