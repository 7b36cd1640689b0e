import {
  AddTagsCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  ModifyLoadBalancerAttributesCommand,
  ModifyTargetGroupCommand,
  paginateDescribeTargetGroups,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { startBalancedCloud } from './balancer.ts';
import { startCloud } from './support.ts';

test('a load balancer has a name in DNS and one address per zone', async () => {
  const cloud = await startBalancedCloud();
  const { LoadBalancers } = await cloud.elb.send(new DescribeLoadBalancersCommand({ Names: ['web'] }));
  expect(LoadBalancers).toMatchObject([
    {
      DNSName: expect.stringMatching(/^web-[0-9a-f]{16}\.elb\.eu-west-1\.amazonaws\.com$/),
      Type: 'network',
      State: { Code: 'active' },
      AvailabilityZones: [
        { ZoneName: 'eu-west-1a', LoadBalancerAddresses: [{ IpAddress: '10.0.200.1' }] },
        { ZoneName: 'eu-west-1b', LoadBalancerAddresses: [{ IpAddress: '10.0.200.2' }] },
      ],
    },
  ]);
});

test('attributes start as a network load balancer has them', async () => {
  const cloud = await startBalancedCloud();
  const group = await cloud.elb.send(
    new DescribeTargetGroupAttributesCommand({ TargetGroupArn: cloud.targetGroupArn }),
  );
  expect(group.Attributes).toEqual(
    expect.arrayContaining([
      { Key: 'deregistration_delay.timeout_seconds', Value: '300' },
      { Key: 'deregistration_delay.connection_termination.enabled', Value: 'false' },
      { Key: 'target_health_state.unhealthy.connection_termination.enabled', Value: 'true' },
      { Key: 'load_balancing.cross_zone.enabled', Value: 'use_load_balancer_configuration' },
    ]),
  );
  const balancer = await cloud.elb.send(
    new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn: cloud.loadBalancerArn }),
  );
  expect(balancer.Attributes).toContainEqual({ Key: 'load_balancing.cross_zone.enabled', Value: 'false' });
});

test('attributes outside of their limits and unknown ones are refused', async () => {
  const cloud = await startBalancedCloud();
  const refused = { name: 'InvalidConfigurationRequestException' };
  await expect(cloud.setAttribute('deregistration_delay.timeout_seconds', '3601')).rejects.toMatchObject(refused);
  await expect(cloud.setAttribute('deregistration_delay.seconds', '1')).rejects.toMatchObject(refused);
});

test('with cross-zone on every address sends to the targets of all zones', async () => {
  const cloud = await startBalancedCloud();
  await cloud.becomeHealthy();
  await cloud.elb.send(
    new ModifyLoadBalancerAttributesCommand({
      LoadBalancerArn: cloud.loadBalancerArn,
      Attributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }],
    }),
  );
  const all = [...cloud.ips].sort();
  expect(cloud.receivers()).toEqual({ 'eu-west-1a': all, 'eu-west-1b': all });
});

test('health check settings outside of their limits are refused', async () => {
  const cloud = await startBalancedCloud();
  const modify = (settings: object) =>
    cloud.elb.send(new ModifyTargetGroupCommand({ TargetGroupArn: cloud.targetGroupArn, ...settings }));
  await expect(modify({ HealthCheckIntervalSeconds: 4 })).rejects.toMatchObject({ name: 'ValidationError' });
  await expect(modify({ UnhealthyThresholdCount: 11 })).rejects.toMatchObject({ name: 'ValidationError' });
  await modify({ HealthCheckIntervalSeconds: 5 });
  const { TargetGroups } = await cloud.elb.send(
    new DescribeTargetGroupsCommand({ LoadBalancerArn: cloud.loadBalancerArn }),
  );
  expect(TargetGroups).toMatchObject([{ HealthCheckIntervalSeconds: 5, HealthCheckPath: '/healthz' }]);
});

test('creating the same again gives what exists, with other settings it is refused', async () => {
  const cloud = await startBalancedCloud();
  const [a = '', b = ''] = cloud.aws.model.network.subnets.map(({ id }) => id);
  const create = (Subnets: string[]) =>
    cloud.elb.send(new CreateLoadBalancerCommand({ Name: 'web', Type: 'network', Subnets }));
  expect((await create([b, a])).LoadBalancers?.[0]?.LoadBalancerArn).toBe(cloud.loadBalancerArn);
  await expect(create([a])).rejects.toMatchObject({ name: 'DuplicateLoadBalancerNameException' });
});

test('a target group in use cannot be deleted, a deleted load balancer frees it', async () => {
  const { elb, loadBalancerArn, targetGroupArn } = await startBalancedCloud();
  const remove = () => elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: targetGroupArn }));
  await expect(remove()).rejects.toMatchObject({ name: 'ResourceInUseException' });
  await elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: loadBalancerArn }));
  await elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: loadBalancerArn }));
  await remove();
  await expect(elb.send(new DescribeTargetGroupsCommand({ TargetGroupArns: [targetGroupArn] }))).rejects.toMatchObject({
    name: 'TargetGroupNotFoundException',
  });
});

test('tags are kept', async () => {
  const { elb, loadBalancerArn } = await startBalancedCloud();
  const Tags = [{ Key: 'kubernetes.io/service-name', Value: 'default/web' }];
  await elb.send(new AddTagsCommand({ ResourceArns: [loadBalancerArn], Tags }));
  const { TagDescriptions } = await elb.send(new DescribeTagsCommand({ ResourceArns: [loadBalancerArn] }));
  expect(TagDescriptions).toEqual([{ ResourceArn: loadBalancerArn, Tags }]);
});

test('long lists come in pages that the SDK follows', async () => {
  const { elb } = await startCloud();
  for (let index = 0; index < 5; index += 1) {
    await elb.send(new CreateTargetGroupCommand({ Name: `group-${index}`, Protocol: 'TCP', Port: 30080 + index }));
  }
  const sizes: number[] = [];
  for await (const page of paginateDescribeTargetGroups({ client: elb }, { PageSize: 2 })) {
    sizes.push(page.TargetGroups?.length ?? 0);
  }
  expect(sizes).toEqual([2, 2, 1]);
});
