import { AutoScalingClient, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { PoolsSubject } from '../cases/pools-subject.ts';
import { openBench } from './support.ts';

/** The EKS adapter, before the simulated AWS. */
export async function openAwsPools(): Promise<PoolsSubject> {
  const bench = await openBench();
  bench.cloudClock.advance(10_000);
  const { model, faults } = bench.aws;
  const groupOf = (pool: string) => model.autoScalingGroups.get(model.nodegroups.get(pool)?.autoScalingGroup ?? '');
  return {
    pools: createEksNodePools({ clock: bench.clock, maxAttempts: 2 }),
    web: bench.web,
    other: { ...bench.web, name: 'other' },
    cloud: {
      settle: () => bench.cloudClock.advance(70_000),
      begin: () => bench.cloudClock.advance(1_000),
      refuseLaunches: () => faults.refuseLaunches(),
      allowLaunches: () => faults.clear(),
      suspend: async ({ name, region }, process) => {
        const input = { AutoScalingGroupName: groupOf(name)?.name, ScalingProcesses: [process] };
        await new AutoScalingClient({ region }).send(new SuspendProcessesCommand(input));
      },
      suspended: ({ name }) => [...(groupOf(name)?.suspended.keys() ?? [])],
      fewest: ({ name }) => groupOf(name)?.min ?? 0,
      terminateInstance: async (instanceId) => {
        const { region } = bench.web;
        await new EC2Client({ region }).send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
      },
    },
    close: async () => await bench.close(),
  };
}
