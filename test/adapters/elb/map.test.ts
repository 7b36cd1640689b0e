import { expect, test } from 'vitest';
import { mapTarget, mapTargetGroup } from '../../../adapters/elb/map.ts';

test.each([
  ['initial', 'initial'],
  ['healthy', 'healthy'],
  ['unhealthy', 'unhealthy'],
  ['unhealthy.draining', 'unhealthy.draining'],
  ['draining', 'draining'],
  ['unused', 'unused'],
  ['unavailable', 'unavailable'],
] as const)('target state %s is %s', (State, expected) => {
  expect(mapTarget({ Target: { Id: 'i-1', Port: 30080 }, TargetHealth: { State } }).state).toBe(expected);
});

test('a target of which no state is told is unavailable', () => {
  expect(mapTarget({ Target: { Id: 'i-1', Port: 30080 } }).state).toBe('unavailable');
});

test('a target keeps its reason, its port and, where ELB tells it, its zone', () => {
  const told = mapTarget({
    Target: { Id: 'i-1', Port: 30080, AvailabilityZone: 'eu-west-1a' },
    TargetHealth: { State: 'draining', Reason: 'Target.DeregistrationInProgress' },
  });

  expect(told).toEqual({
    kind: 'instance',
    instanceId: 'i-1',
    port: 30080,
    zone: 'eu-west-1a',
    state: 'draining',
    reason: 'Target.DeregistrationInProgress',
  });
  expect(mapTarget({ Target: { Id: 'i-1', Port: 30080 } }).zone).toBeUndefined();
});

const attributes = (entries: Record<string, string>) => Object.entries(entries).map(([Key, Value]) => ({ Key, Value }));
const group = (own: Record<string, string>, balancer: Record<string, string> = {}) =>
  mapTargetGroup({
    service: 'default/web',
    controller: 'service-controller',
    loadBalancer: { LoadBalancerName: 'k8s-web', AvailabilityZones: [{ ZoneName: 'b' }, { ZoneName: 'a' }] },
    loadBalancerAttributes: attributes(balancer),
    targetGroup: { TargetGroupArn: 'arn', TargetGroupName: 'tg', HealthCheckIntervalSeconds: 10 },
    targetGroupAttributes: attributes(own),
  });

test('attributes that AWS leaves out are its defaults', () => {
  expect(group({})).toMatchObject({
    deregistrationDelayMs: 300_000,
    terminatesConnectionsAfterDelay: false,
    terminatesUnhealthyConnections: true,
    crossZone: false,
    zones: ['a', 'b'],
  });
});

test.each([
  { name: 'inherited and on', own: 'use_load_balancer_configuration', balancer: 'true', crossZone: true },
  { name: 'inherited and off', own: 'use_load_balancer_configuration', balancer: 'false', crossZone: false },
  { name: 'on for itself', own: 'true', balancer: 'false', crossZone: true },
  { name: 'off for itself', own: 'false', balancer: 'true', crossZone: false },
])('cross-zone $name', ({ own, balancer, crossZone }) => {
  const key = 'load_balancing.cross_zone.enabled';

  expect(group({ [key]: own }, { [key]: balancer }).crossZone).toBe(crossZone);
});

test('a group keeps clients at their target only where its attribute says so', () => {
  expect(group({ 'stickiness.enabled': 'true' }).sticky).toBe(true);
  expect(group({ 'stickiness.enabled': 'false' })).not.toHaveProperty('sticky');
});

test('a Network Load Balancer has a limit of targets, in each zone or in all', () => {
  const limitOf = (crossZone: string, Type: 'network' | 'application' = 'network') =>
    mapTargetGroup({
      service: 'default/web',
      controller: 'service-controller',
      loadBalancer: { LoadBalancerName: 'k8s-web', Type },
      loadBalancerAttributes: attributes({ 'load_balancing.cross_zone.enabled': crossZone }),
      targetGroup: {},
      targetGroupAttributes: [],
    }).maxTargets;
  expect(limitOf('false')).toEqual({ targets: 500, perZone: true });
  expect(limitOf('true')).toEqual({ targets: 500, perZone: false });
  expect(limitOf('true', 'application')).toBeUndefined();
});
