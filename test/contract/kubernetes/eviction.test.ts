import { describe, expect, it } from 'vitest';

import { describePodsLeaving } from '../cases/pods-leaving.ts';
import { useRealCluster } from './subject.ts';

const real = useRealCluster({ controllers: ['disruption-controller'] });

describePodsLeaving('a real API server with the real disruption controller', () => real.subject);

describe('evicting from a real API server', () => {
  it('keeps the grace period that the pod asks for', async () => {
    const ref = await real.subject.others.addPod('graceful', { app: 'graceful' });
    await real.subject.one.evict(ref, { dryRun: false });
    const object = await real.controlPlane.api<{ metadata: { deletionGracePeriodSeconds: number } }>(
      'GET',
      '/api/v1/namespaces/default/pods/graceful',
    );
    expect(object.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('says which rule is missing when its role may not evict', async () => {
    const ref = await real.subject.others.addPod('forbidden', { app: 'forbidden' });
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/nodeferry';
    const granted = await real.controlPlane.api<{ rules: { resources: string[] }[] }>('GET', role);
    await real.controlPlane.api('PATCH', role, {
      rules: granted.rules.filter(({ resources }) => !resources.includes('pods/eviction')),
    });
    const forbidden = { code: 'Forbidden', hint: expect.stringContaining('"pods/eviction"') };
    await expect
      .poll(() => real.subject.one.evict(ref, { dryRun: true }).catch((error: { problem: unknown }) => error.problem))
      .toMatchObject(forbidden);
    await real.controlPlane.api('PATCH', role, { rules: granted.rules });
  });
});
