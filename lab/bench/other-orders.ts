/**
 * How other tools replace a pool, as controls: new nodes first, then one old node after another in the order of that tool. The same pool in the same
 * lab loses requests this way.
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

/** What is done with one old node; a number is a wait, ms. */
type Act = 'exclude' | 'drain' | 'terminate' | number;

/**
 * What each tool does with every old node; all of them are cordoned before. `naive`: cordon, `kubectl drain`, terminate. `eks`: the update of a
 * managed node group evicts, then excludes the node from load balancers and waits 60 s (EKS user guide, "Understand each phase of node updates"); the
 * lab is faster than AWS by a larger factor than that between 60 s and the 10 s used here. `script`: what people write themselves, with a sleep.
 * `kops`: excluded and drained at once, `--post-drain-delay` 5 s, `--node-interval` 15 s (kOps, "kops rolling-update cluster").
 */
const acts = {
  naive: ['drain', 'terminate'],
  eks: ['drain', 'exclude', 10_000, 'terminate'],
  script: ['exclude', 30_000, 'drain', 'terminate'],
  kops: ['exclude', 'drain', 5_000, 'terminate', 15_000],
} as const satisfies Readonly<Record<string, readonly Act[]>>;

/** The order of another tool. */
export type OtherOrder = keyof typeof acts;

/** The pool and its environment. */
interface OtherUpgrade {
  readonly order: OtherOrder;
  readonly kubeconfigPath: string;
  readonly awsUrl: string;
  readonly region: string;
  readonly cluster: string;
  readonly pool: string;
  readonly newPool: string;
  readonly newVersion: string;
  readonly onProgress: (text: string) => void;
  /** Called with each act once it has ended. */
  readonly onAct?: (act: NodeAct) => void;
}

/** What was done with a node, from when until when, epoch ms. */
export interface NodeAct {
  readonly node: string;
  readonly act: 'exclude' | 'drain' | 'terminate';
  readonly from: number;
  readonly to: number;
}

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers=true';

/** Replaces the pool in that order and returns how long it took, ms. */
export async function upgradeInOrder(options: OtherUpgrade): Promise<number> {
  const startedAt = Date.now();
  const credentials = { accessKeyId: 'lab', secretAccessKey: 'lab' };
  const eks = new EKSClient({ region: options.region, endpoint: options.awsUrl, credentials });
  const autoScaling = new AutoScalingClient({ region: options.region, endpoint: options.awsUrl, credentials });
  await bringUpNew(eks, autoScaling, options);
  const nodes = await readyNodes(options, options.pool);
  for (const node of nodes) await kubectl(options, ['cordon', node.name]);
  for (const node of nodes) {
    for (const act of acts[options.order]) {
      options.onProgress(typeof act === 'number' ? `waiting ${act / 1000} s` : `${act} ${node.name}`);
      const from = Date.now();
      await perform(act, node, autoScaling, options);
      if (typeof act !== 'number') options.onAct?.({ node: node.name, act, from, to: Date.now() });
    }
  }
  await eks.send(new DeleteNodegroupCommand({ clusterName: options.cluster, nodegroupName: options.pool }));
  await until(async () => ((await describe(eks, options, options.pool)) === undefined ? true : undefined), {
    what: 'the old node group still exists',
    timeoutMs: 120_000,
    everyMs: 1000,
  });
  return Date.now() - startedAt;
}

/** Creates as many new nodes as there are old ones and waits until they are Ready. The old group launches no instance and may shrink to zero. */
async function bringUpNew(eks: EKSClient, autoScaling: AutoScalingClient, options: OtherUpgrade): Promise<void> {
  const old = await describe(eks, options, options.pool);
  const group = old?.resources?.autoScalingGroups?.[0]?.name;
  if (!old || !group) throw new Error(`there is no node group ${options.pool}`);
  const size = old.scalingConfig?.desiredSize ?? 0;
  const scalingConfig = { minSize: 0, maxSize: size, desiredSize: size };
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
      scalingConfig,
    }),
  );
  await until(async () => ((await readyNodes(options, options.newPool)).length >= size ? true : undefined), {
    what: 'the new nodes are not Ready',
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
      scalingConfig,
    }),
  );
}

async function perform(
  act: Act,
  node: ReadyNode,
  autoScaling: AutoScalingClient,
  options: OtherUpgrade,
): Promise<void> {
  if (typeof act === 'number') return new Promise((resolve) => setTimeout(resolve, act));
  if (act === 'exclude') {
    await kubectl(options, ['label', 'node', node.name, excludeLabel, '--overwrite']);
  } else if (act === 'drain') {
    const drain = ['drain', node.name, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s'];
    await kubectl(options, drain, 130_000);
  } else {
    await autoScaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({
        InstanceId: node.instanceId,
        ShouldDecrementDesiredCapacity: true,
      }),
    );
  }
}

interface ReadyNode {
  readonly name: string;
  readonly instanceId: string;
}

async function readyNodes(options: OtherUpgrade, pool: string): Promise<readonly ReadyNode[]> {
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

async function describe(eks: EKSClient, options: OtherUpgrade, nodegroupName: string) {
  try {
    return (await eks.send(new DescribeNodegroupCommand({ clusterName: options.cluster, nodegroupName }))).nodegroup;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

function kubectl(options: OtherUpgrade, args: readonly string[], timeoutMs = 30_000): Promise<string> {
  return run(toolPaths().kubectl, ['--kubeconfig', options.kubeconfigPath, ...args], { timeoutMs });
}
