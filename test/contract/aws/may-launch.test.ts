/** Node groups with a launch template of the customer: EKS launches from it only for who may do so himself. */
import { CreateLaunchTemplateCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { CreateNodegroupCommand, EKSClient } from '@aws-sdk/client-eks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { PoolRef } from '../../../core/model/pool.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';
import { type AwsBench, calls, openBench, target } from './support.ts';

let bench: AwsBench;
let pools: ManagedNodePools;
let source: PoolRef;

beforeEach(async () => {
  bench = await openBench();
  pools = createEksNodePools({ clock: bench.clock, maxAttempts: 1 });
  source = { ...bench.web, name: 'templated' };
  const { region } = bench.web;
  const { LaunchTemplate } = await new EC2Client({ region }).send(
    new CreateLaunchTemplateCommand({ LaunchTemplateName: 'ours', LaunchTemplateData: { InstanceType: 'm7i.large' } }),
  );
  const subnets = bench.aws.model.network.subnets.slice(0, 2).map(({ id }) => id);
  await new EKSClient({ region }).send(
    new CreateNodegroupCommand({
      clusterName: 'prod',
      nodegroupName: 'templated',
      nodeRole: 'arn:aws:iam::111122223333:role/node',
      subnets,
      launchTemplate: { id: LaunchTemplate?.LaunchTemplateId, version: '1' },
      scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 2 },
    }),
  );
  bench.cloudClock.advance(70_000);
});
afterEach(async () => await bench.close());

test('whoever may launch from the template may create the replacement, and nothing is launched to find out', async () => {
  const before = bench.aws.model.instances.size;
  await pools.replacement.requireMayCreate({ source, target });
  expect(calls(bench.aws, 'RunInstances').map(({ outcome }) => outcome)).toEqual(['DryRunOperation']);
  expect(bench.aws.model.instances.size).toBe(before);
});

test.each(['RunInstances', 'CreateTags', 'DescribeLaunchTemplateVersions'])(
  'who may not %s is told before anything is created, and by EKS as well',
  async (action) => {
    bench.aws.faults.forbid({ service: 'ec2', action });
    await expect(pools.replacement.requireMayCreate({ source, target })).rejects.toMatchObject({
      problem: { code: 'Forbidden', message: expect.stringContaining(`ec2:${action}`) },
    });
    const request = { source, target, size: 2, run: 'run-1', token: 'run-1/surge' };
    await expect(pools.replacement.createPool(request)).rejects.toMatchObject({
      problem: {
        code: 'Forbidden',
        message: expect.stringContaining('not authorized to launch instances with this launch template'),
        hint: expect.stringMatching(/ec2:RunInstances, ec2:CreateTags and ec2:DescribeLaunchTemplateVersions/),
      },
    });
  },
);

test('a version that the template does not have is refused', async () => {
  const request = { source, target: { ...target, launchTemplateVersion: '9' } };
  await expect(pools.replacement.requireMayCreate(request)).rejects.toMatchObject({
    problem: { code: 'ProviderRefused', message: expect.stringContaining('version 9') },
  });
});

test('without a launch template there is nothing to be allowed', async () => {
  bench.aws.faults.forbid({ service: 'ec2', action: 'RunInstances' });
  await pools.replacement.requireMayCreate({ source: bench.web, target });
  expect(calls(bench.aws, 'RunInstances')).toEqual([]);
});

test('the simulated EC2 launches nothing by itself', async () => {
  const { region } = bench.web;
  const run = new RunInstancesCommand({ ImageId: 'ami-1', MinCount: 1, MaxCount: 1 });
  await expect(new EC2Client({ region }).send(run)).rejects.toMatchObject({ name: 'UnsupportedOperation' });
});
