/** Node groups of the lab as a script changes them. */
import {
  AutoScalingClient,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateNodegroupCommand,
  DeleteNodegroupCommand,
  DescribeNodegroupCommand,
  EKSClient,
  UpdateNodegroupConfigCommand,
} from '@aws-sdk/client-eks';
import type { Lab } from '../lab/lab.ts';
import { until } from '../lab/process.ts';
import type { PoolHands } from './other-orders.ts';

/** The names of both pools, and the version of the new one. */
export interface PoolChange {
  readonly pool: string;
  readonly newPool: string;
  readonly version: string;
}

/** What is done to the node groups of a lab. */
export function eksHands({ awsUrl, scenario }: Lab, { pool, newPool, version }: PoolChange): PoolHands {
  const { clusterName, region } = scenario;
  const at = { region, endpoint: awsUrl, credentials: { accessKeyId: 'lab', secretAccessKey: 'lab' } };
  const eks = new EKSClient(at);
  const autoScaling = new AutoScalingClient(at);
  const describe = async () => {
    try {
      return (await eks.send(new DescribeNodegroupCommand({ clusterName, nodegroupName: pool }))).nodegroup;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  };
  const requireOld = async () => {
    const old = await describe();
    const group = old?.resources?.autoScalingGroups?.[0]?.name;
    if (!old || !group) throw new Error(`there is no node group ${pool}`);
    const size = old.scalingConfig?.desiredSize ?? 0;
    return { old, group, size, scalingConfig: { minSize: 0, maxSize: size, desiredSize: size } };
  };
  return {
    createNew: async () => {
      const { old, size, scalingConfig } = await requireOld();
      const { nodeRole, subnets, instanceTypes, labels } = old;
      const copied = { nodeRole, subnets, instanceTypes, labels };
      await eks.send(
        new CreateNodegroupCommand({ clusterName, nodegroupName: newPool, ...copied, version, scalingConfig }),
      );
      return size;
    },
    holdOld: async () => {
      const { group, scalingConfig } = await requireOld();
      const ScalingProcesses = ['AZRebalance', 'Launch'];
      await autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName: group, ScalingProcesses }));
      await eks.send(new UpdateNodegroupConfigCommand({ clusterName, nodegroupName: pool, scalingConfig }));
    },
    terminate: async ({ instanceId: InstanceId }) => {
      const request = { InstanceId, ShouldDecrementDesiredCapacity: true };
      await autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(request));
    },
    deleteOld: async () => {
      await eks.send(new DeleteNodegroupCommand({ clusterName, nodegroupName: pool }));
      await until(async () => ((await describe()) === undefined ? true : undefined), {
        what: 'the old node group still exists',
        timeoutMs: 120_000,
        everyMs: 1000,
      });
    },
  };
}
