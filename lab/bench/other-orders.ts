/**
 * The usual order, as a control: new nodes, then per old node cordon, `kubectl drain` (with budgets), terminate.
 * Nothing waits for the load balancer. The same pool in the same lab loses requests this way.
 */
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
import { toolPaths } from '../../scripts/setup/paths.ts';
import { run, until } from '../process.ts';

/** What the naive upgrade needs from its surroundings. */
export interface NaiveUpgrade {
  readonly kubeconfigPath: string;
  readonly awsUrl: string;
  readonly region: string;
  readonly cluster: string;
  readonly pool: string;
  readonly newPool: string;
  readonly newVersion: string;
  readonly onProgress: (text: string) => void;
}

/** Replaces the pool in the usual order and returns how long it took, ms. */
export async function upgradeNaively(options: NaiveUpgrade): Promise<number> {
  const startedAt = Date.now();
  const credentials = { accessKeyId: 'lab', secretAccessKey: 'lab' };
  const eks = new EKSClient({ region: options.region, endpoint: options.awsUrl, credentials });
  const autoScaling = new AutoScalingClient({ region: options.region, endpoint: options.awsUrl, credentials });
  const old = await describe(eks, options, options.pool);
  const group = old?.resources?.autoScalingGroups?.[0]?.name;
  if (!old || !group) throw new Error(`there is no node group ${options.pool}`);
  const size = old.scalingConfig?.desiredSize ?? 0;

  options.onProgress('creating the new node group');
  await eks.send(
    new CreateNodegroupCommand({
      clusterName: options.cluster,
      nodegroupName: options.newPool,
      nodeRole: old.nodeRole,
      subnets: old.subnets,
      instanceTypes: old.instanceTypes,
      labels: old.labels,
      version: options.newVersion,
      scalingConfig: { minSize: 0, maxSize: size, desiredSize: size },
    }),
  );
  await until(async () => ((await readyNodes(options, options.newPool)).length >= size ? true : undefined), {
    what: 'the new nodes are Ready',
    timeoutMs: 180_000,
    everyMs: 1000,
  });
  await autoScaling.send(
    new SuspendProcessesCommand({ AutoScalingGroupName: group, ScalingProcesses: ['AZRebalance', 'Launch'] }),
  );
  await eks.send(
    new UpdateNodegroupConfigCommand({
      clusterName: options.cluster,
      nodegroupName: options.pool,
      scalingConfig: { minSize: 0, maxSize: size, desiredSize: size },
    }),
  );

  const nodes = await readyNodes(options, options.pool);
  for (const node of nodes) await kubectl(options, ['cordon', node.name]);
  for (const node of nodes) {
    options.onProgress(`draining ${node.name}`);
    await kubectl(
      options,
      ['drain', node.name, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s'],
      130_000,
    );
    options.onProgress(`terminating ${node.name}`);
    await autoScaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({
        InstanceId: node.instanceId,
        ShouldDecrementDesiredCapacity: true,
      }),
    );
  }
  await eks.send(new DeleteNodegroupCommand({ clusterName: options.cluster, nodegroupName: options.pool }));
  await until(async () => ((await describe(eks, options, options.pool)) === undefined ? true : undefined), {
    what: 'the old node group is gone',
    timeoutMs: 120_000,
    everyMs: 1000,
  });
  return Date.now() - startedAt;
}

interface ReadyNode {
  readonly name: string;
  readonly instanceId: string;
}

async function readyNodes(options: NaiveUpgrade, pool: string): Promise<readonly ReadyNode[]> {
  const template =
    '{range .items[*]}{.metadata.name}{" "}{.spec.providerID}{" "}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
  const text = await kubectl(options, [
    'get',
    'nodes',
    '-l',
    `eks.amazonaws.com/nodegroup=${pool}`,
    '-o',
    `jsonpath=${template}`,
  ]);
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([name, providerId, ready]) => {
      const instanceId = providerId?.split('/').at(-1);
      return name && instanceId && ready === 'True' ? [{ name, instanceId }] : [];
    });
}

async function describe(eks: EKSClient, options: NaiveUpgrade, nodegroupName: string) {
  try {
    return (await eks.send(new DescribeNodegroupCommand({ clusterName: options.cluster, nodegroupName }))).nodegroup;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

function kubectl(options: NaiveUpgrade, args: readonly string[], timeoutMs = 30_000): Promise<string> {
  return run(toolPaths().kubectl, ['--kubeconfig', options.kubeconfigPath, ...args], { timeoutMs });
}
