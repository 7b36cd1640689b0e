import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../client/drain/default-policy.ts';
import { poolRefOf } from '../../../core/policy/policy.ts';

describe('a drain without a policy file', () => {
  test('asks the provider of the nodes for their pool, where the kubeconfig says that the cluster is', () => {
    const named = { name: 'prod', region: 'europe-west1-b', locator: { project: 'shop-prod' } };
    expect(poolRefOf(defaultPolicy({ ...named, provider: 'gke' }))).toMatchObject({
      cluster: 'prod',
      region: 'europe-west1-b',
      provider: 'gke',
      locator: { project: 'shop-prod' },
    });
  });

  test('of nodes that belong to no pool is as on EKS, and the region may be unknown', () => {
    const ref = poolRefOf(defaultPolicy({ name: 'prod' }));
    expect(ref).toMatchObject({ cluster: 'prod', region: '', provider: 'eks' });
    expect(ref).not.toHaveProperty('locator');
  });
});
