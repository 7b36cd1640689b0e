import {
  DescribeAutoScalingInstancesCommand,
  DescribeScalingActivitiesCommand,
  DescribeTagsCommand,
  ResumeProcessesCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { type Clock, type ManualClock, manualClock } from '../../../lab/aws/clock.ts';
import type { NodegroupSeed } from '../../../lab/aws/seed.ts';
import { startCloud } from './support.ts';

async function startGroup(seed: Partial<NodegroupSeed> = {}, options: Parameters<typeof startCloud>[0] = {}) {
  const nodegroup = { name: 'web', version: '1.35', instanceType: 'm7i.large', size: 4, ...seed };
  const cloud = await startCloud({ nodegroups: [nodegroup], ...options });
  cloud.clock.advance(0);
  const [group] = cloud.aws.model.autoScalingGroups.values();
  if (group === undefined) throw new Error('no group');
  const AutoScalingGroupName = group.name;
  const idsIn = (zone: string) =>
    [...group.members.values()].filter((member) => member.zone === zone).map(({ instanceId }) => instanceId);
  return {
    ...cloud,
    group,
    AutoScalingGroupName,
    idsIn,
    sizes: () => [idsIn('eu-west-1a').length, idsIn('eu-west-1b').length],
    terminate: (InstanceId: string, ShouldDecrementDesiredCapacity: boolean) =>
      cloud.autoScaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
      ),
    suspend: (...ScalingProcesses: string[]) =>
      cloud.autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses })),
    resume: (...ScalingProcesses: string[]) =>
      cloud.autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName, ScalingProcesses })),
  };
}

test('terminate with decrement takes one instance out for good', async () => {
  const cloud = await startGroup();
  const [victim = ''] = cloud.idsIn('eu-west-1a');
  const { Activity } = await cloud.terminate(victim, true);
  expect(Activity).toMatchObject({ StatusCode: 'InProgress', Description: `Terminating EC2 instance: ${victim}` });
  expect(cloud.terminated).toEqual([victim]);
  const described = await cloud.autoScaling.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [victim] }));
  expect(described.AutoScalingInstances).toMatchObject([{ LifecycleState: 'Terminating' }]);
  cloud.clock.advance(60_000);
  expect(cloud.group.desired).toBe(3);
  expect(cloud.sizes()).toEqual([1, 2]);
});

test('terminating the same instance twice counts once', async () => {
  const cloud = await startGroup();
  const [victim = ''] = cloud.idsIn('eu-west-1a');
  await cloud.terminate(victim, true);
  await cloud.terminate(victim, true);
  expect(cloud.group.desired).toBe(3);
  cloud.clock.advance(2_000);
  await expect(cloud.terminate(victim, true)).rejects.toMatchObject({
    name: 'ValidationError',
    message: expect.stringContaining('No managed instance found'),
  });
});

test('terminate with decrement is refused at the minimum size', async () => {
  const cloud = await startGroup({ minSize: 4 });
  const [victim = ''] = cloud.idsIn('eu-west-1a');
  await expect(cloud.terminate(victim, true)).rejects.toMatchObject({
    name: 'ValidationError',
    message: expect.stringContaining('Currently, desiredSize equals minSize (4).'),
  });
  expect(cloud.terminated).toEqual([]);
});

test('terminate without decrement brings a replacement, unless launching is suspended', async () => {
  const cloud = await startGroup();
  const [first = '', second = ''] = cloud.idsIn('eu-west-1a');
  await cloud.terminate(first, false);
  cloud.clock.advance(2_000);
  expect(cloud.sizes()).toEqual([2, 2]);
  await cloud.suspend('Launch');
  await cloud.terminate(second, false);
  cloud.clock.advance(60_000);
  expect(cloud.sizes()).toEqual([1, 2]);
  await cloud.resume('Launch');
  expect(cloud.sizes()).toEqual([2, 2]);
});

test('an unbalanced group is rebalanced by launching first, unless AZRebalance is suspended', async () => {
  const cloud = await startGroup();
  await cloud.suspend('AZRebalance');
  for (const id of cloud.idsIn('eu-west-1a')) await cloud.terminate(id, true);
  cloud.clock.advance(60_000);
  expect(cloud.sizes()).toEqual([0, 2]);
  await cloud.resume('AZRebalance');
  expect(cloud.sizes()).toEqual([1, 2]);
  expect(cloud.terminated).toHaveLength(2);
  cloud.clock.advance(4_000);
  expect(cloud.sizes()).toEqual([1, 1]);
  expect(cloud.terminated).toHaveLength(3);
});

test('an instance that ends outside of the group is replaced, unless ReplaceUnhealthy is suspended', async () => {
  const cloud = await startGroup();
  const [lost = ''] = cloud.idsIn('eu-west-1b');
  await cloud.suspend('ReplaceUnhealthy');
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [lost] }));
  cloud.clock.advance(60_000);
  expect(cloud.group.members.get(lost)).toMatchObject({ lifecycle: 'InService', health: 'Unhealthy' });
  await cloud.resume('ReplaceUnhealthy');
  cloud.clock.advance(2_000);
  expect(cloud.group.members.has(lost)).toBe(false);
  expect(cloud.sizes()).toEqual([2, 2]);
});

test('while Terminate is suspended rebalancing makes the group larger, and shrinks it afterwards', async () => {
  const cloud = await startGroup();
  await cloud.suspend('AZRebalance');
  for (const id of cloud.idsIn('eu-west-1a')) await cloud.terminate(id, true);
  await cloud.suspend('Terminate');
  await cloud.resume('AZRebalance');
  cloud.clock.advance(60_000);
  expect(cloud.sizes()).toEqual([1, 2]);
  await cloud.resume('Terminate');
  cloud.clock.advance(2_000);
  expect(cloud.sizes()).toEqual([1, 1]);
});

test('a lost instance counts as healthy while HealthCheck is suspended', async () => {
  const cloud = await startGroup();
  const [lost = ''] = cloud.idsIn('eu-west-1a');
  await cloud.suspend('HealthCheck');
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [lost] }));
  cloud.clock.advance(60_000);
  expect(cloud.group.members.get(lost)?.health).toBe('Healthy');
  await cloud.resume('HealthCheck');
  cloud.clock.advance(2_000);
  expect(cloud.group.members.has(lost)).toBe(false);
});

test('scaling in takes the oldest of the larger zone and spares protected instances', async () => {
  const cloud = await startGroup();
  const [spared = '', next = ''] = cloud.idsIn('eu-west-1a');
  const protect = (ids: string[]) =>
    cloud.autoScaling.send(
      new SetInstanceProtectionCommand({
        AutoScalingGroupName: cloud.AutoScalingGroupName,
        InstanceIds: ids,
        ProtectedFromScaleIn: true,
      }),
    );
  await protect([spared, ...cloud.idsIn('eu-west-1b')]);
  await cloud.autoScaling.send(
    new SetDesiredCapacityCommand({ AutoScalingGroupName: cloud.AutoScalingGroupName, DesiredCapacity: 2 }),
  );
  expect(cloud.terminated).toEqual([next]);
});

test('scaling in takes exactly as many instances as are too many', async () => {
  const cloud = await startGroup({ size: 6 });
  await cloud.autoScaling.send(
    new SetDesiredCapacityCommand({ AutoScalingGroupName: cloud.AutoScalingGroupName, DesiredCapacity: 2 }),
  );
  cloud.clock.advance(60_000);
  expect(cloud.sizes()).toEqual([1, 1]);
  expect(cloud.terminated).toHaveLength(4);
});

test('sizes outside of the bounds are refused, new bounds move the desired capacity', async () => {
  const cloud = await startGroup({ minSize: 2, maxSize: 6 });
  const { AutoScalingGroupName } = cloud;
  const set = (DesiredCapacity: number) =>
    cloud.autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity }));
  await expect(set(7)).rejects.toMatchObject({
    name: 'ValidationError',
    message: expect.stringContaining('above max'),
  });
  await expect(set(1)).rejects.toMatchObject({
    name: 'ValidationError',
    message: expect.stringContaining('below min'),
  });
  await cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MinSize: 5 }));
  expect(cloud.group.desired).toBe(5);
});

test('refused launches stand in the history, degrade the node group, and are tried again', async () => {
  const cloud = await startGroup();
  cloud.aws.faults.refuseLaunches();
  const [victim = ''] = cloud.idsIn('eu-west-1a');
  await cloud.terminate(victim, false);
  const { Activities } = await cloud.autoScaling.send(
    new DescribeScalingActivitiesCommand({ AutoScalingGroupName: cloud.AutoScalingGroupName }),
  );
  expect(Activities?.[0]).toMatchObject({
    StatusCode: 'Failed',
    StatusMessage: expect.stringContaining('InsufficientInstanceCapacity'),
  });
  const nodegroup = cloud.aws.model.nodegroups.get('web');
  expect(nodegroup).toMatchObject({ status: 'DEGRADED', issues: [{ code: 'AsgInstanceLaunchFailures' }] });
  cloud.aws.faults.clear();
  cloud.clock.advance(5_000);
  expect(nodegroup?.status).toBe('ACTIVE');
  expect(cloud.sizes()).toEqual([2, 2]);
});

/** Node's timers fire up to a millisecond early: they count whole milliseconds from the beginning of a turn of the event loop. */
function earlyClock(clock: ManualClock): Clock {
  return { now: () => clock.now(), after: (ms, action) => clock.after(Math.max(0, ms - 1), action) };
}

test('a refused launch is tried again also when the timer fires a millisecond early', async () => {
  const clock = manualClock();
  const cloud = await startGroup({ size: 3 }, { clock: earlyClock(clock) });
  clock.advance(60_000);
  cloud.aws.faults.refuseLaunches();
  await cloud.autoScaling.send(
    new SetDesiredCapacityCommand({ AutoScalingGroupName: cloud.AutoScalingGroupName, DesiredCapacity: 4 }),
  );
  cloud.aws.faults.clear();
  clock.advance(60_000);
  expect(cloud.group.members.size).toBe(4);
});

test('the group carries the tags that EKS and the cluster autoscaler look for', async () => {
  const cloud = await startGroup();
  const { Tags } = await cloud.autoScaling.send(
    new DescribeTagsCommand({ Filters: [{ Name: 'auto-scaling-group', Values: [cloud.AutoScalingGroupName] }] }),
  );
  expect(Tags).toContainEqual({
    ResourceId: cloud.AutoScalingGroupName,
    ResourceType: 'auto-scaling-group',
    Key: 'eks:nodegroup-name',
    Value: 'web',
    PropagateAtLaunch: true,
  });
});
