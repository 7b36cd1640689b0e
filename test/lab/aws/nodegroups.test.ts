import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import {
  CreateNodegroupCommand,
  DeleteNodegroupCommand,
  DescribeClusterCommand,
  DescribeNodegroupCommand,
  ListNodegroupsCommand,
} from '@aws-sdk/client-eks';
import { expect, test } from 'vitest';
import { type Cloud, startCloud } from './support.ts';

const request = (cloud: Cloud, clientRequestToken: string) =>
  new CreateNodegroupCommand({
    clusterName: 'lab',
    nodegroupName: 'web-green',
    subnets: cloud.aws.model.network.subnets.map(({ id }) => id),
    nodeRole: 'arn:aws:iam::111122223333:role/eks-node',
    version: '1.36',
    instanceTypes: ['m7i.large'],
    scalingConfig: { minSize: 0, maxSize: 8, desiredSize: 4 },
    labels: { pool: 'web' },
    taints: [{ key: 'team', value: 'shop', effect: 'NO_SCHEDULE' }],
    clientRequestToken,
  });

const describe = async ({ eks }: Cloud) =>
  (await eks.send(new DescribeNodegroupCommand({ clusterName: 'lab', nodegroupName: 'web-green' }))).nodegroup;

test('a node group is created with instances in every zone, which boot as nodes with its labels', async () => {
  const cloud = await startCloud();
  const created = await cloud.eks.send(request(cloud, 'one'));
  expect(created.nodegroup?.status).toBe('CREATING');
  expect(created.nodegroup?.resources?.autoScalingGroups).toBeUndefined();

  cloud.clock.advance(1_000);
  expect(cloud.booted).toHaveLength(0);
  cloud.clock.advance(2_000);
  expect(cloud.booted.map(({ zone }) => zone).sort()).toEqual(['eu-west-1a', 'eu-west-1a', 'eu-west-1b', 'eu-west-1b']);
  expect(cloud.booted[0]).toMatchObject({
    nodegroup: 'web-green',
    kubernetesVersion: 'v1.36.3',
    privateIp: '10.0.1.11',
    privateDnsName: 'ip-10-0-1-11.eu-west-1.compute.internal',
    labels: { pool: 'web', 'eks.amazonaws.com/nodegroup': 'web-green', 'eks.amazonaws.com/capacityType': 'ON_DEMAND' },
    taints: [{ key: 'team', value: 'shop', effect: 'NoSchedule' }],
  });

  const nodegroup = await describe(cloud);
  expect(nodegroup).toMatchObject({ status: 'ACTIVE', version: '1.36', releaseVersion: '1.36.3-20261107' });
  const groupName = nodegroup?.resources?.autoScalingGroups?.[0]?.name;
  const groups = await cloud.autoScaling.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [groupName ?? ''] }),
  );
  expect(groups.AutoScalingGroups?.[0]?.Instances?.map(({ LifecycleState }) => LifecycleState)).toEqual(
    Array.from({ length: 4 }, () => 'InService'),
  );
  const instances = await cloud.ec2.send(
    new DescribeInstancesCommand({
      Filters: [
        { Name: 'private-dns-name', Values: ['ip-10-0-2-*'] },
        { Name: 'instance-state-name', Values: ['running'] },
        { Name: 'tag:eks:nodegroup-name', Values: ['web-green'] },
      ],
    }),
  );
  expect(instances.Reservations).toHaveLength(2);
  expect(instances.Reservations?.[0]?.Instances?.[0]?.Tags).toContainEqual({
    Key: 'aws:autoscaling:groupName',
    Value: groupName,
  });
});

test('a repeated token gives the same node group, another token for the same name is refused', async () => {
  const cloud = await startCloud();
  const first = await cloud.eks.send(request(cloud, 'one'));
  const again = await cloud.eks.send(request(cloud, 'one'));
  expect(again.nodegroup?.nodegroupArn).toBe(first.nodegroup?.nodegroupArn);
  await expect(cloud.eks.send(request(cloud, 'two'))).rejects.toMatchObject({
    name: 'ResourceInUseException',
    nodegroupName: 'web-green',
    $metadata: { httpStatusCode: 409 },
  });
});

test('a deleted node group terminates its instances and then disappears', async () => {
  const cloud = await startCloud();
  await cloud.eks.send(request(cloud, 'one'));
  cloud.clock.advance(3_000);
  await cloud.eks.send(new DeleteNodegroupCommand({ clusterName: 'lab', nodegroupName: 'web-green' }));
  expect(cloud.terminated).toHaveLength(4);
  expect((await describe(cloud))?.status).toBe('DELETING');
  cloud.clock.advance(3_000);
  await expect(describe(cloud)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  expect(cloud.aws.model.autoScalingGroups.size).toBe(0);
});

test('node groups that are seeded are there from the start and are listed in pages', async () => {
  const seeds = ['a', 'b', 'c'].map((name) => ({ name, version: 'v1.35.9', instanceType: 't3.medium', size: 1 }));
  const cloud = await startCloud({ nodegroups: seeds });
  cloud.clock.advance(0);
  expect(cloud.booted.map(({ kubernetesVersion }) => kubernetesVersion)).toEqual(['v1.35.9', 'v1.35.9', 'v1.35.9']);
  const first = await cloud.eks.send(new ListNodegroupsCommand({ clusterName: 'lab', maxResults: 2 }));
  expect(first.nodegroups).toEqual(['a', 'b']);
  const second = await cloud.eks.send(
    new ListNodegroupsCommand({ clusterName: 'lab', maxResults: 2, nextToken: first.nextToken }),
  );
  expect(second).toMatchObject({ nodegroups: ['c'] });
  expect(second.nextToken).toBeUndefined();
});

test('the cluster is described, and another one is not found', async () => {
  const { eks } = await startCloud();
  const { cluster } = await eks.send(new DescribeClusterCommand({ name: 'lab' }));
  expect(cluster).toMatchObject({ status: 'ACTIVE', version: '1.36' });
  expect(cluster?.createdAt).toBeInstanceOf(Date);
  await expect(eks.send(new DescribeClusterCommand({ name: 'other' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});
