import { expect, test } from 'vitest';
import {
  backendServiceSettings,
  reachesAllZones,
  targetPoolSettings,
} from '../../../adapters/gcp/load-balancers/settings.ts';

const [internal, external] = [{ loadBalancingScheme: 'INTERNAL' }, { loadBalancingScheme: 'EXTERNAL' }];

test('a backend service with nodes that host endpoints has a limit, by where it is reached from', () => {
  expect(backendServiceSettings(internal, 'hosts-only')).toEqual({ maxTargets: { targets: 250, perZone: false } });
  expect(backendServiceSettings(external, 'hosts-only')).toEqual({ maxTargets: { targets: 3000, perZone: false } });
  expect(backendServiceSettings(internal, 'subset')).toEqual({});
});

test('an internal load balancer with instance groups sends to 250 nodes of the cluster; no limit of others is known', () => {
  expect(backendServiceSettings(internal, 'all-nodes').maxTargets).toEqual({ targets: 250, perZone: false });
  expect(backendServiceSettings(external, 'all-nodes').maxTargets).toBeUndefined();
  expect(targetPoolSettings({}).maxTargets).toBeUndefined();
});

test('target pools and instance groups have a successor', () => {
  expect(targetPoolSettings({}).successor).toContain('l4-rbs');
  expect(backendServiceSettings(external, 'all-nodes').successor).toContain('l4-rbs');
  expect(backendServiceSettings(internal, 'all-nodes').successor).toContain('--enable-l4-ilb-subsetting');
});

test('clients are kept at one target unless the affinity is NONE', () => {
  expect(targetPoolSettings({ sessionAffinity: 'CLIENT_IP' }).sticky).toBe(true);
  expect(backendServiceSettings({ ...external, sessionAffinity: 'CLIENT_IP_PROTO' }, 'subset').sticky).toBe(true);
  expect(backendServiceSettings({ ...external, sessionAffinity: 'NONE' }, 'subset')).toEqual({});
});

test.each([
  [undefined, true],
  ['ZONAL_AFFINITY_DISABLED', true],
  ['ZONAL_AFFINITY_SPILL_CROSS_ZONE', true],
  ['ZONAL_AFFINITY_STAY_WITHIN_ZONE', false],
])('with zonal affinity %s, clients reach targets of other zones: %s', (spillover, expected) => {
  const policy = spillover && { networkPassThroughLbTrafficPolicy: { zonalAffinity: { spillover } } };
  expect(reachesAllZones({ loadBalancingScheme: 'INTERNAL', ...policy })).toBe(expected);
});
