import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DeleteSecurityGroupCommand,
  DescribeAvailabilityZonesCommand,
  DescribeInstancesCommand,
  DescribeInstanceTopologyCommand,
  DescribeInstanceTypesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  paginateDescribeInstances,
  RevokeSecurityGroupIngressCommand,
} from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { startCloud } from './support.ts';

const nodegroups = [{ name: 'web', version: '1.35', instanceType: 'm7i.large', size: 5 }];

test('the network has a public subnet per zone that load balancers may use', async () => {
  const { ec2, aws } = await startCloud();
  const { vpcId } = aws.model.network;
  const { Subnets } = await ec2.send(
    new DescribeSubnetsCommand({
      Filters: [
        { Name: 'vpc-id', Values: [vpcId] },
        { Name: 'tag-key', Values: ['kubernetes.io/cluster/lab'] },
        { Name: 'tag:kubernetes.io/role/elb', Values: ['1'] },
      ],
    }),
  );
  expect(Subnets?.map(({ AvailabilityZone, CidrBlock }) => [AvailabilityZone, CidrBlock])).toEqual([
    ['eu-west-1a', '10.0.1.0/24'],
    ['eu-west-1b', '10.0.2.0/24'],
  ]);
  const { RouteTables } = await ec2.send(
    new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }] }),
  );
  expect(RouteTables?.[0]?.Associations?.map(({ SubnetId }) => SubnetId)).toEqual([
    undefined,
    ...(Subnets ?? []).map(({ SubnetId }) => SubnetId),
  ]);
  expect(RouteTables?.[0]?.Routes).toContainEqual(
    expect.objectContaining({ DestinationCidrBlock: '0.0.0.0/0', GatewayId: expect.stringMatching(/^igw-/) }),
  );
  expect((await ec2.send(new DescribeVpcsCommand({ VpcIds: [vpcId] }))).Vpcs).toMatchObject([
    { CidrBlock: '10.0.0.0/16' },
  ]);
  const { AvailabilityZones } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
  expect(AvailabilityZones).toMatchObject([
    { ZoneName: 'eu-west-1a', ZoneId: 'euw1-az1', State: 'available' },
    { ZoneName: 'eu-west-1b', ZoneId: 'euw1-az2', State: 'available' },
  ]);
});

test('instances come in pages, and by id all at once', async () => {
  const { ec2, aws } = await startCloud({ nodegroups });
  const sizes: number[] = [];
  for await (const page of paginateDescribeInstances({ client: ec2, pageSize: 2 }, {})) {
    sizes.push(page.Reservations?.length ?? 0);
  }
  expect(sizes).toEqual([2, 2, 1]);
  const InstanceIds = [...aws.model.instances.keys()];
  const byId = await ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  expect(byId.Reservations).toHaveLength(5);
  await expect(ec2.send(new DescribeInstancesCommand({ InstanceIds: ['i-0'] }))).rejects.toMatchObject({
    name: 'InvalidInstanceID.NotFound',
  });
});

test('tags that are put on an instance can be filtered by', async () => {
  const { ec2, aws } = await startCloud({ nodegroups });
  const [first = ''] = aws.model.instances.keys();
  await ec2.send(new CreateTagsCommand({ Resources: [first], Tags: [{ Key: 'team', Value: 'shop' }] }));
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'tag:team', Values: ['shop', 'other'] }] }),
  );
  expect(Reservations?.map(({ Instances }) => Instances?.[0]?.InstanceId)).toEqual([first]);
});

test('a filter that nobody knows is refused instead of passed over', async () => {
  const { ec2 } = await startCloud({ nodegroups });
  const Filters = [{ Name: 'colour', Values: ['blue'] }];
  await expect(ec2.send(new DescribeInstancesCommand({ Filters }))).rejects.toMatchObject({
    name: 'InvalidParameterValue',
  });
});

test('a security group keeps its rules', async () => {
  const { ec2, aws } = await startCloud();
  const { GroupId } = await ec2.send(
    new CreateSecurityGroupCommand({ GroupName: 'elb', Description: 'load balancer', VpcId: aws.model.network.vpcId }),
  );
  const http = { IpProtocol: 'tcp', FromPort: 80, ToPort: 80 };
  const IpPermissions = [
    { ...http, IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'clients' }, { CidrIp: '10.0.0.0/8' }] },
  ];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  await expect(ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }))).rejects.toMatchObject({
    name: 'InvalidPermission.Duplicate',
  });
  await ec2.send(
    new RevokeSecurityGroupIngressCommand({
      GroupId,
      IpPermissions: [{ ...http, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }],
    }),
  );
  const describe = () => ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [GroupId ?? ''] }));
  expect((await describe()).SecurityGroups?.[0]?.IpPermissions).toMatchObject([
    { ...http, IpRanges: [{ CidrIp: '0.0.0.0/0', Description: 'clients' }] },
  ]);
  await ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
  await expect(describe()).rejects.toMatchObject({ name: 'InvalidGroup.NotFound' });
});

test('instance types are described, a topology there is none', async () => {
  const { ec2 } = await startCloud();
  const types = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['m7i.large'] }));
  expect(types.InstanceTypes).toMatchObject([{ InstanceType: 'm7i.large', VCpuInfo: { DefaultVCpus: 2 } }]);
  expect((await ec2.send(new DescribeInstanceTopologyCommand({}))).Instances).toEqual([]);
});
