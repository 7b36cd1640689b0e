import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import {
  CreateNodegroupCommand,
  DescribeNodegroupCommand,
  EKSClient,
  ListNodegroupsCommand,
} from '@aws-sdk/client-eks';
import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { type Cloud, startCloud } from './support.ts';

/** One call of each service, by the name under which faults know it. */
const calls: Record<string, (cloud: Cloud) => Promise<unknown>> = {
  ec2: ({ ec2 }) => ec2.send(new DescribeInstancesCommand({})),
  eks: ({ eks }) => eks.send(new ListNodegroupsCommand({ clusterName: 'lab' })),
  autoscaling: ({ autoScaling }) => autoScaling.send(new DescribeAutoScalingGroupsCommand({})),
  elbv2: ({ elb }) => elb.send(new DescribeLoadBalancersCommand({})),
};

test.each([
  ['ec2', 'RequestLimitExceeded'],
  ['eks', 'ThrottlingException'],
  ['autoscaling', 'Throttling'],
  ['elbv2', 'Throttling'],
])('%s throttles in its own words, and the SDK tries again', async (service, code) => {
  const cloud = await startCloud();
  cloud.aws.faults.throttle({ service }, 1);
  await expect(calls[service]?.(cloud)).rejects.toMatchObject({ name: code });
  expect(cloud.aws.requests.map(({ outcome }) => outcome)).toEqual([code, code, code]);
  cloud.aws.faults.clear();
  await calls[service]?.(cloud);
  expect(cloud.aws.requests.at(-1)).toMatchObject({ service, outcome: 'ok' });
});

test('a share of throttled calls goes unnoticed by a caller with the SDK behind it', async () => {
  const cloud = await startCloud({ seed: 7 });
  cloud.aws.faults.throttle({ action: 'DescribeInstances' }, 0.2);
  for (let call = 0; call < 10; call += 1) await calls['ec2']?.(cloud);
  const outcomes = cloud.aws.requests.map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(10);
  expect(outcomes).toContain('RequestLimitExceeded');
});

test('a fault of one action leaves the others alone', async () => {
  const cloud = await startCloud();
  cloud.aws.faults.fail({ service: 'eks', action: 'DescribeNodegroup' }, 1);
  await expect(
    cloud.eks.send(new DescribeNodegroupCommand({ clusterName: 'lab', nodegroupName: 'web' })),
  ).rejects.toMatchObject({ name: 'ServerException' });
  await expect(calls['eks']?.(cloud)).resolves.toMatchObject({ nodegroups: [] });
});

test('a fault of one client leaves the others alone', async () => {
  const cloud = await startCloud();
  const read = async () => await cloud.eks.send(new ListNodegroupsCommand({ clusterName: 'lab' }));
  cloud.aws.faults.fail({ client: 'aws-sdk-go' }, 1);
  await expect(read()).resolves.toMatchObject({ nodegroups: [] });
  cloud.aws.faults.fail({ client: 'aws-sdk-js' }, 1);
  await expect(read()).rejects.toMatchObject({ name: 'ServerException' });
});

test('a slow answer comes when its time has passed', async () => {
  const cloud = await startCloud();
  cloud.aws.faults.slow({ service: 'eks' }, 30_000);
  let answered = false;
  const call = calls['eks']?.(cloud).then(() => {
    answered = true;
  });
  await expect.poll(() => cloud.aws.requests.length).toBe(1);
  cloud.clock.advance(29_999);
  await calls['ec2']?.(cloud);
  expect(answered).toBe(false);
  cloud.clock.advance(1);
  await call;
  expect(answered).toBe(true);
});

async function createNodegroup(eks: EKSClient, subnets: string[]) {
  await eks.send(
    new CreateNodegroupCommand({
      clusterName: 'lab',
      nodegroupName: 'green',
      subnets,
      nodeRole: 'arn:aws:iam::111122223333:role/eks-node',
      scalingConfig: { minSize: 0, maxSize: 4, desiredSize: 2 },
    }),
  );
}

test('a node group without capacity fails in the end and says why', async () => {
  const cloud = await startCloud();
  cloud.aws.faults.refuseLaunches({ zone: 'eu-west-1a' });
  cloud.aws.faults.refuseLaunches();
  await createNodegroup(
    cloud.eks,
    cloud.aws.model.network.subnets.map(({ id }) => id),
  );
  cloud.clock.advance(59_999);
  const describe = () => cloud.eks.send(new DescribeNodegroupCommand({ clusterName: 'lab', nodegroupName: 'green' }));
  const issues = [{ code: 'AsgInstanceLaunchFailures' }];
  expect((await describe()).nodegroup).toMatchObject({ status: 'CREATING', health: { issues } });
  cloud.clock.advance(1);
  expect((await describe()).nodegroup).toMatchObject({ status: 'CREATE_FAILED', health: { issues } });
});

test('a zone without capacity gets no instances, the other one gets them all', async () => {
  const cloud = await startCloud();
  cloud.aws.faults.refuseLaunches({ zone: 'eu-west-1a' });
  await createNodegroup(
    cloud.eks,
    cloud.aws.model.network.subnets.map(({ id }) => id),
  );
  cloud.clock.advance(3_000);
  expect(cloud.booted.map(({ zone }) => zone)).toEqual(['eu-west-1b', 'eu-west-1b']);
});

test('instances that never become nodes keep the node group from being active', async () => {
  const cloud = await startCloud();
  cloud.aws.faults.neverJoin(1);
  await createNodegroup(
    cloud.eks,
    cloud.aws.model.network.subnets.map(({ id }) => id),
  );
  cloud.clock.advance(30_000);
  expect(cloud.booted).toHaveLength(1);
  const nodegroup = cloud.aws.model.nodegroups.get('green');
  expect(nodegroup?.status).toBe('CREATING');
  cloud.clock.advance(30_000);
  expect(nodegroup).toMatchObject({ status: 'CREATE_FAILED', issues: [{ code: 'NodeCreationFailure' }] });
});
