import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import {
  DeleteListenerCommand,
  DescribeListenersCommand,
  DescribeTargetHealthCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { startBalancedCloud } from './balancer.ts';

test('a new target is initial, is checked only after registration, and is healthy after the threshold', async () => {
  const cloud = await startBalancedCloud();
  const [node = ''] = cloud.nodes;
  await cloud.register([node]);
  expect(await cloud.health()).toEqual({ [node]: 'initial Elb.RegistrationInProgress' });
  expect(cloud.plane.probes).toEqual([]);

  cloud.clock.advance(4_000);
  expect(await cloud.health()).toEqual({ [node]: 'initial Elb.InitialHealthChecking' });
  expect(cloud.plane.probes).toMatchObject([
    { ip: '10.0.1.11', port: 31000, protocol: 'HTTP', path: '/healthz', intervalMs: 10_000, timeoutMs: 6_000 },
  ]);
  cloud.plane.checkOnce(() => true);
  expect(await cloud.health()).toEqual({ [node]: 'initial Elb.InitialHealthChecking' });
  cloud.plane.checkOnce(() => true);
  expect(await cloud.health()).toEqual({ [node]: 'healthy' });
});

test('so many failed checks in a row make a target unhealthy, so many passed ones healthy again', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [node = ''] = cloud.nodes;
  const check = async (ok: boolean) => {
    cloud.plane.checkOnce((ip) => ok || ip !== cloud.ips[0]);
    return (await cloud.health())[node];
  };
  const unhealthy = 'unhealthy Target.FailedHealthChecks';
  expect(await check(false)).toBe('healthy');
  expect(await check(true)).toBe('healthy');
  expect(await check(false)).toBe('healthy');
  expect(await check(false)).toBe(unhealthy);
  expect(await check(true)).toBe(unhealthy);
  expect(await check(false)).toBe(unhealthy);
  expect(await check(true)).toBe(unhealthy);
  expect(await check(true)).toBe('healthy');
});

test('each zone sends new connections to its own healthy targets only', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [a1, a2, b1, b2] = cloud.ips;
  expect(cloud.receivers()).toEqual({ 'eu-west-1a': [a1, a2], 'eu-west-1b': [b1, b2] });
});

test('an unhealthy target keeps new connections until that has spread, and loses established ones at once', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [a1, a2] = cloud.ips;
  for (let check = 0; check < 2; check += 1) cloud.plane.checkOnce((ip) => ip !== a1);
  expect(cloud.plane.broken).toMatchObject([
    { port: 80, targetIp: a1, targetPort: 30080 },
    { port: 80, targetIp: a1, targetPort: 30080 },
  ]);
  cloud.clock.advance(2_999);
  expect(cloud.receivers()['eu-west-1a']).toEqual([a1, a2]);
  cloud.clock.advance(1);
  expect(cloud.receivers()['eu-west-1a']).toEqual([a2]);
});

test('without termination of unhealthy targets established connections stay, and the target drains', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  await cloud.setAttribute('target_health_state.unhealthy.connection_termination.enabled', 'false');
  await cloud.setAttribute('target_health_state.unhealthy.draining_interval_seconds', '60');
  const [node = ''] = cloud.nodes;
  for (let check = 0; check < 2; check += 1) cloud.plane.checkOnce((ip) => ip !== cloud.ips[0]);
  expect((await cloud.health())[node]).toBe('unhealthy.draining Target.FailedHealthChecks');
  cloud.clock.advance(60_000);
  expect((await cloud.health())[node]).toBe('unhealthy Target.FailedHealthChecks');
  expect(cloud.plane.broken).toEqual([]);
});

test('a zone without a healthy target fails open to all of its registered targets', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [a1, a2, b1, b2] = cloud.ips;
  const dnsName = cloud.plane.rules[0]?.dnsName ?? '';
  expect(cloud.aws.resolve(dnsName)).toHaveLength(2);
  for (let check = 0; check < 2; check += 1) cloud.plane.checkOnce((ip) => ip === b1 || ip === b2);
  cloud.clock.advance(3_000);
  expect(cloud.receivers()).toEqual({ 'eu-west-1a': [a1, a2], 'eu-west-1b': [b1, b2] });
  expect(cloud.aws.resolve(dnsName)).toEqual([cloud.plane.rules[1]?.vip]);
});

test('a deregistered target drains, still gets new connections until that has spread, and is then absent', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  await cloud.setAttribute('deregistration_delay.timeout_seconds', '25');
  const [node = ''] = cloud.nodes;
  const [a1, a2] = cloud.ips;
  await cloud.deregister([node]);
  expect((await cloud.health())[node]).toBe('draining Target.DeregistrationInProgress');
  expect(cloud.plane.probes.map(({ ip }) => ip)).not.toContain(a1);
  cloud.clock.advance(5_999);
  expect(cloud.receivers()['eu-west-1a']).toEqual([a1, a2]);
  cloud.clock.advance(1);
  expect(cloud.receivers()['eu-west-1a']).toEqual([a2]);
  cloud.clock.advance(19_000);
  expect(await cloud.health()).not.toHaveProperty(node);
  expect(cloud.plane.broken).toEqual([]);
  const asked = await cloud.elb.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: cloud.targetGroupArn, Targets: [{ Id: node }] }),
  );
  expect(asked.TargetHealthDescriptions?.[0]?.TargetHealth).toMatchObject({
    State: 'unused',
    Reason: 'Target.NotRegistered',
  });
});

test('with connection termination the load balancer breaks what is left at the end of the delay', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  await cloud.setAttribute('deregistration_delay.timeout_seconds', '25');
  await cloud.setAttribute('deregistration_delay.connection_termination.enabled', 'true');
  await cloud.deregister(cloud.nodes.slice(0, 1));
  cloud.clock.advance(24_999);
  expect(cloud.plane.broken).toEqual([]);
  cloud.clock.advance(1);
  expect(cloud.plane.broken.map(({ targetIp }) => targetIp)).toEqual([cloud.ips[0], cloud.ips[0]]);
});

test('a target that comes back while it drains is registered anew and keeps its place afterwards', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [node = ''] = cloud.nodes;
  await cloud.deregister([node]);
  cloud.clock.advance(1_000);
  await cloud.register([node]);
  expect((await cloud.health())[node]).toBe('initial Elb.RegistrationInProgress');
  cloud.clock.advance(4_000);
  for (let check = 0; check < 2; check += 1) cloud.plane.checkOnce(() => true);
  cloud.clock.advance(600_000);
  expect((await cloud.health())[node]).toBe('healthy');
  expect(cloud.receivers()['eu-west-1a']).toContain(cloud.ips[0]);
});

test('deregistering a target that is not registered succeeds', async () => {
  const cloud = await startBalancedCloud();
  await expect(cloud.deregister(['i-00000000000000000'])).resolves.toBeUndefined();
});

test('an instance that does not run cannot be registered', async () => {
  const cloud = await startBalancedCloud();
  const [node = ''] = cloud.nodes;
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [node] }));
  await expect(cloud.register([node])).rejects.toMatchObject({ name: 'InvalidTargetException' });
});

test('a terminated instance stays registered until its checks fail or the load balancer notices', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const [node = ''] = cloud.nodes;
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [node] }));
  cloud.clock.advance(9_999);
  expect((await cloud.health())[node]).toBe('healthy');
  cloud.clock.advance(1);
  expect((await cloud.health())[node]).toBe('draining Target.DeregistrationInProgress');
});

test('targets of a group that no listener uses are unused', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  const { Listeners } = await cloud.elb.send(new DescribeListenersCommand({ LoadBalancerArn: cloud.loadBalancerArn }));
  await cloud.elb.send(new DeleteListenerCommand({ ListenerArn: Listeners?.[0]?.ListenerArn }));
  expect(new Set(Object.values(await cloud.health()))).toEqual(new Set(['unused Target.NotInUse']));
  expect(cloud.plane.rules).toEqual([]);
  expect(cloud.plane.probes).toEqual([]);
});
