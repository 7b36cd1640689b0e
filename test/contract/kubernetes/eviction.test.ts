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

  it('is blocked, with what it says, by a policy that denies it with the code that policies have by default', async () => {
    const ref = await real.subject.others.addPod('denied', { app: 'denied' });
    await forbidEviction('denied');
    await expect
      .poll(() => real.subject.one.evict(ref, { dryRun: true }))
      .toMatchObject({
        outcome: 'retry',
        message: expect.stringContaining('denied request: not during the day'),
        retryAfterMs: 30_000,
      });
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

async function forbidEviction(pod: string): Promise<void> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const kept = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: pod } };
  const evictions = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] };
  await real.controlPlane.api('POST', `${group}/validatingadmissionpolicies`, {
    ...kept,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [evictions] },
      validations: [{ expression: `request.name != '${pod}'`, message: 'not during the day' }],
    },
  });
  await real.controlPlane.api('POST', `${group}/validatingadmissionpolicybindings`, {
    ...kept,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: pod, validationActions: ['Deny'] },
  });
}
