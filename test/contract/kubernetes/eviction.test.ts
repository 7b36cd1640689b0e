import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { describePodsLeaving } from '../cases/pods-leaving.ts';
import { grantDeployedRoles } from './objects.ts';
import { openSubject, type RealSubject } from './subject.ts';

let controlPlane: ControlPlane;
let subject: RealSubject;

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllers: ['disruption-controller'] });
  grantDeployedRoles(controlPlane);
  subject = openSubject(controlPlane);
});

afterAll(async () => {
  subject?.close();
  await controlPlane?.stop();
});

describePodsLeaving('a real API server with the real disruption controller', () => subject);

describe('evicting from a real API server', () => {
  it('keeps the grace period that the pod asks for', async () => {
    const ref = await subject.others.addPod('graceful', { app: 'graceful' });
    await subject.one.evict(ref, { dryRun: false });
    const object = await controlPlane.api<{ metadata: { deletionGracePeriodSeconds: number } }>(
      'GET',
      '/api/v1/namespaces/default/pods/graceful',
    );
    expect(object.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('says which rule is missing when its role may not evict', async () => {
    const ref = await subject.others.addPod('forbidden', { app: 'forbidden' });
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/nodeferry';
    const granted = await controlPlane.api<{ rules: { resources: string[] }[] }>('GET', role);
    await controlPlane.api('PATCH', role, {
      rules: granted.rules.filter(({ resources }) => !resources.includes('pods/eviction')),
    });
    const forbidden = { code: 'Forbidden', hint: expect.stringContaining('"pods/eviction"') };
    await expect
      .poll(() => subject.one.evict(ref, { dryRun: true }).catch((error: { problem: unknown }) => error.problem))
      .toMatchObject(forbidden);
    await controlPlane.api('PATCH', role, { rules: granted.rules });
  });
});
