import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  DescribeLaunchTemplateVersionsCommand,
} from '@aws-sdk/client-ec2';
import {
  CreateNodegroupCommand,
  type CreateNodegroupCommandInput,
  DescribeNodegroupCommand,
  DescribeUpdateCommand,
  ListTagsForResourceCommand,
  ListUpdatesCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateNodegroupConfigCommand,
  type UpdateNodegroupConfigCommandInput,
} from '@aws-sdk/client-eks';
import { expect, test } from 'vitest';
import { type Cloud, startCloud } from './support.ts';

async function startPool() {
  const cloud = await startCloud({
    nodegroups: [{ name: 'web', version: '1.35', instanceType: 'm7i.large', size: 2, minSize: 2 }],
  });
  cloud.clock.advance(0);
  const name = { clusterName: 'lab', nodegroupName: 'web' };
  return {
    ...cloud,
    update: (change: Partial<UpdateNodegroupConfigCommandInput>) =>
      cloud.eks.send(new UpdateNodegroupConfigCommand({ ...name, ...change })),
    describe: async () => (await cloud.eks.send(new DescribeNodegroupCommand(name))).nodegroup,
  };
}

const create = ({ eks }: Cloud, input: Partial<CreateNodegroupCommandInput>) =>
  eks.send(
    new CreateNodegroupCommand({
      clusterName: 'lab',
      nodegroupName: 'green',
      subnets: undefined,
      nodeRole: 'arn:aws:iam::111122223333:role/eks-node',
      ...input,
    }),
  );

test('an update changes sizes, labels and taints, and ends as successful', async () => {
  const cloud = await startPool();
  const { update } = await cloud.update({
    scalingConfig: { minSize: 0, desiredSize: 3 },
    labels: { addOrUpdateLabels: { tier: 'front' } },
    taints: { addOrUpdateTaints: [{ key: 'team', value: 'shop', effect: 'NO_EXECUTE' }] },
  });
  expect(update).toMatchObject({ status: 'InProgress', type: 'ConfigUpdate' });
  expect(await cloud.describe()).toMatchObject({
    status: 'UPDATING',
    scalingConfig: { minSize: 0, maxSize: 4, desiredSize: 3 },
    labels: { tier: 'front' },
  });
  cloud.clock.advance(2_000);
  expect((await cloud.describe())?.status).toBe('ACTIVE');
  const ids = await cloud.eks.send(new ListUpdatesCommand({ name: 'lab', nodegroupName: 'web' }));
  expect(ids.updateIds).toEqual([update?.id]);
  const described = await cloud.eks.send(
    new DescribeUpdateCommand({ name: 'lab', nodegroupName: 'web', updateId: update?.id ?? '' }),
  );
  expect(described.update?.status).toBe('Successful');
  expect(cloud.booted.at(-1)).toMatchObject({
    labels: { tier: 'front' },
    taints: [{ key: 'team', value: 'shop', effect: 'NoExecute' }],
  });
});

test('a node group takes one update at a time', async () => {
  const cloud = await startPool();
  await cloud.update({ scalingConfig: { minSize: 1 } });
  await expect(cloud.update({ scalingConfig: { minSize: 0 } })).rejects.toMatchObject({
    name: 'ResourceInUseException',
  });
});

test('sizes that contradict each other are refused and change nothing', async () => {
  const cloud = await startPool();
  await expect(cloud.update({ scalingConfig: { minSize: 3 } })).rejects.toMatchObject({
    name: 'InvalidParameterException',
  });
  expect(await cloud.describe()).toMatchObject({ status: 'ACTIVE', scalingConfig: { minSize: 2 } });
});

test('tags are added and removed by the ARN', async () => {
  const { eks, describe } = await startPool();
  const resourceArn = (await describe())?.nodegroupArn ?? '';
  await eks.send(
    new TagResourceCommand({ resourceArn, tags: { 'nodeferry.dev/suspended': 'AZRebalance', team: 'shop' } }),
  );
  await eks.send(new UntagResourceCommand({ resourceArn, tagKeys: ['team'] }));
  expect(await eks.send(new ListTagsForResourceCommand({ resourceArn }))).toMatchObject({
    tags: { 'nodeferry.dev/suspended': 'AZRebalance' },
  });
});

test.each([
  ['a version newer than the control plane', { version: '1.37' }],
  ['a release of another version', { version: '1.36', releaseVersion: '1.35.9-20261010' }],
  ['a subnet that does not exist', { subnets: ['subnet-0'] }],
  ['a desired size above the maximum', { scalingConfig: { minSize: 0, maxSize: 1, desiredSize: 2 } }],
])('%s is refused', async (_, input) => {
  const cloud = await startCloud();
  await expect(create(cloud, { subnets: [], ...input })).rejects.toMatchObject({ name: 'InvalidParameterException' });
});

test('no more node groups are made than the quota allows', async () => {
  const seeds = Array.from({ length: 30 }, (_, n) => ({
    name: `p${n}`,
    version: '1.36',
    instanceType: 't3.small',
    size: 0,
  }));
  const cloud = await startCloud({ nodegroups: seeds });
  await expect(create(cloud, { subnets: [] })).rejects.toMatchObject({ name: 'ResourceLimitExceededException' });
});

test('a launch template with an image makes a custom node group of that image', async () => {
  const cloud = await startCloud();
  const { LaunchTemplate } = await cloud.ec2.send(
    new CreateLaunchTemplateCommand({ LaunchTemplateName: 'own', LaunchTemplateData: { ImageId: 'ami-one' } }),
  );
  await cloud.ec2.send(
    new CreateLaunchTemplateVersionCommand({
      LaunchTemplateName: 'own',
      LaunchTemplateData: { ImageId: 'ami-two', InstanceType: 'm7i.large' },
    }),
  );
  const launchTemplate = { id: LaunchTemplate?.LaunchTemplateId, version: '2' };
  const subnets = cloud.aws.model.network.subnets.map(({ id }) => id);
  await expect(create(cloud, { subnets, launchTemplate, version: '1.36' })).rejects.toMatchObject({
    name: 'InvalidParameterException',
  });
  const { nodegroup } = await create(cloud, { subnets, launchTemplate });
  expect(nodegroup).toMatchObject({ amiType: 'CUSTOM', instanceTypes: ['m7i.large'], launchTemplate });
  cloud.clock.advance(3_000);
  expect([...cloud.aws.model.instances.values()].map(({ imageId }) => imageId)).toEqual(['ami-two', 'ami-two']);
  const { LaunchTemplateVersions } = await cloud.ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: 'own', Versions: ['$Latest', '$Default'] }),
  );
  expect(LaunchTemplateVersions).toMatchObject([
    { VersionNumber: 1, DefaultVersion: true, LaunchTemplateData: { ImageId: 'ami-one' } },
    { VersionNumber: 2, DefaultVersion: false, LaunchTemplateData: { ImageId: 'ami-two' } },
  ]);
});
