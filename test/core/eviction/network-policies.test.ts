import { describe, expect, test } from 'vitest';
import { findEvictedWhileEndpoint, needsRemoval, selectLabels } from '../../../core/eviction/endpoint-removal.ts';
import { policiesThatMiss } from '../../../core/eviction/network-policies.ts';
import type { LabelSelectorFacts } from '../../../core/model/label-selector.ts';
import type { NetworkPolicyFacts } from '../../../core/model/network-policy.ts';
import { aCluster, aPod, aPolicy, aService } from '../support/facts.ts';

function goingBy(
  name: string,
  labels: LabelSelectorFacts,
  namespace: string | undefined = 'default',
): NetworkPolicyFacts {
  return { key: `NetworkPolicy ${name}`, selectors: [{ ...(namespace === undefined ? {} : { namespace }), labels }] };
}

const labels = { app: 'web', tier: 'front' };
const pod = aPod('web-1', 'n1', { labels, ownerSelector: {} });

describe('network policies that miss a pod without its label app', () => {
  const miss = (...networkPolicies: readonly NetworkPolicyFacts[]) =>
    policiesThatMiss(pod, ['app'], { networkPolicies });

  test.each([
    ['select it', goingBy('web', { matchLabels: { app: 'web' } }), true],
    ['select several labels', goingBy('web', { matchLabels: { app: 'web', tier: 'front' } }), true],
    [
      'select it by a list of values',
      goingBy('web', { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] }),
      true,
    ],
    ['select it by its existence', goingBy('web', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }), true],
    [
      'select all pods but it',
      goingBy('rest', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }),
      true,
    ],
    ['select all pods', goingBy('deny', {}), false],
    ['select others', goingBy('api', { matchLabels: { app: 'api' } }), false],
    ['select another label', goingBy('front', { matchLabels: { tier: 'front' } }), false],
    ['are of another namespace', goingBy('web', { matchLabels: { app: 'web' } }, 'other'), false],
    ['let callers of any namespace in', goingBy('db', { matchLabels: { app: 'web' } }, undefined), true],
  ])('%s', (_, policy, misses) => {
    expect(miss(policy)).toEqual(misses ? [policy.key] : []);
  });

  test('are none where it has none but its node’s network', () => {
    const byApp = { networkPolicies: [goingBy('web', { matchLabels: { app: 'web' } })] };
    expect(policiesThatMiss({ ...pod, hostNetwork: true }, ['app'], byApp)).toEqual([]);
  });
});

describe('a pod whose Service selects it', () => {
  const byApp = [goingBy('default/web', { matchLabels: { app: 'web' } })];
  const clusterWith = (selector: Record<string, string>, networkPolicies = byApp, one = pod) =>
    aCluster({ pods: [one], services: [aService('web', [one], { selector })], networkPolicies });

  test('by another label as well, loses that', () => {
    const cluster = clusterWith(labels);
    expect(selectLabels({ ...pod, ownerSelector: { tier: 'front' } }, cluster)).toEqual(['tier']);
    expect(selectLabels(pod, clusterWith(labels, []))).toEqual(['app']);
    expect(needsRemoval(pod, cluster, aPolicy())).toBe(true);
  });

  test('by nothing else stays listed until it stops, and that is reported', () => {
    const cluster = clusterWith({ app: 'web' });
    expect(needsRemoval(pod, cluster, aPolicy())).toBe(false);
    expect(findEvictedWhileEndpoint(pod, cluster, aPolicy())).toEqual({
      services: ['default/web'],
      isDenied: false,
      why: 'NetworkPolicy default/web goes by its label app, which it would lose',
    });
  });

  test('by nothing else, and continues to serve after it was told to stop, needs nothing', () => {
    const patient = { ...pod, preStopSeconds: 60 };
    expect(findEvictedWhileEndpoint(patient, clusterWith({ app: 'web' }, byApp, patient), aPolicy())).toBeUndefined();
  });
});
