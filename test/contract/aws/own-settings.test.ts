/** What a plan is told of settings of the Auto Scaling group that EKS has made of a node group. */
import { AutoScalingClient, CreateOrUpdateTagsCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';
import { type AwsBench, openBench } from './support.ts';

let bench: AwsBench;
let pools: ManagedNodePools;
let owner: AutoScalingClient;

beforeEach(async () => {
  bench = await openBench();
  bench.cloudClock.advance(10_000);
  pools = createEksNodePools({ clock: bench.clock, maxAttempts: 2 });
  owner = new AutoScalingClient({ region: bench.web.region });
});
afterEach(() => bench.close());

const group = () => bench.aws.model.nodegroups.get('web')?.autoScalingGroup ?? '';
const told = async () => (await pools.describePool(bench.web)).ownSettings;

async function tag(Key: string, Value: string) {
  const about = { ResourceId: group(), ResourceType: 'auto-scaling-group' };
  await owner.send(new CreateOrUpdateTagsCommand({ Tags: [{ ...about, Key, Value, PropagateAtLaunch: false }] }));
}

test('a group that only EKS has set up has none, also while a run has suspended its scaling', async () => {
  expect(await told()).toBeUndefined();
  await pools.scaling.suspend(bench.web);
  expect(await told()).toBeUndefined();
});

test('processes that others have suspended and tags of others are told', async () => {
  await tag('k8s.io/cluster-autoscaler/node-template/label/tier', 'web');
  const input = { AutoScalingGroupName: group(), ScalingProcesses: ['AZRebalance'] };
  await owner.send(new SuspendProcessesCommand(input));
  await pools.scaling.suspend(bench.web);
  expect(await told()).toEqual(['AZRebalance suspended', 'tag k8s.io/cluster-autoscaler/node-template/label/tier=web']);
});
