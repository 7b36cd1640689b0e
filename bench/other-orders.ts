/**
 * How other tools replace a pool, as controls: new nodes first, then one old node after another in the order of that tool. The same pool in the same
 * lab loses requests this way.
 */

import { run, until } from '../lab/process.ts';
import { toolPaths } from '../scripts/setup/paths.ts';

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

/** A node that takes pods. */
interface ReadyNode {
  readonly name: string;
  readonly instanceId: string;
}

/** What is done to node pools with the cloud's own API, as a script would. */
export interface PoolHands {
  /** Creates the new pool with as many nodes as the old one has, and returns their number. */
  createNew(): Promise<number>;
  /** The old pool launches no instance any more and may shrink to zero. */
  holdOld(): Promise<void>;
  /** Terminates that instance; none takes its place. */
  terminate(node: ReadyNode): Promise<void>;
  /** Deletes the empty old pool and waits until it is gone. */
  deleteOld(): Promise<void>;
}

/** The pool and its environment. */
interface OtherUpgrade {
  readonly order: OtherOrder;
  readonly kubeconfigPath: string;
  /** Label of nodes with the name of their pool. */
  readonly poolLabel: string;
  readonly hands: PoolHands;
  readonly pool: string;
  readonly newPool: string;
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
  options.onProgress('creating the new node pool');
  const size = await options.hands.createNew();
  await until(async () => ((await readyNodes(options, options.newPool)).length >= size ? true : undefined), {
    what: 'the new nodes are not Ready',
    timeoutMs: 180_000,
    everyMs: 1000,
  });
  await options.hands.holdOld();
  const nodes = await readyNodes(options, options.pool);
  for (const node of nodes) await kubectl(options, ['cordon', node.name]);
  for (const node of nodes) {
    for (const act of acts[options.order]) {
      options.onProgress(typeof act === 'number' ? `waiting ${act / 1000} s` : `${act} ${node.name}`);
      const from = Date.now();
      await perform(act, node, options);
      if (typeof act !== 'number') options.onAct?.({ node: node.name, act, from, to: Date.now() });
    }
  }
  await options.hands.deleteOld();
  return Date.now() - startedAt;
}

async function perform(act: Act, node: ReadyNode, options: OtherUpgrade): Promise<void> {
  if (typeof act === 'number') return new Promise((resolve) => setTimeout(resolve, act));
  if (act === 'exclude') {
    await kubectl(options, ['label', 'node', node.name, excludeLabel, '--overwrite']);
  } else if (act === 'drain') {
    const drain = ['drain', node.name, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s'];
    await kubectl(options, drain, 130_000);
  } else {
    await options.hands.terminate(node);
  }
}

async function readyNodes(options: OtherUpgrade, pool: string): Promise<readonly ReadyNode[]> {
  const template =
    '{range .items[*]}{.metadata.name}{" "}{.spec.providerID}{" "}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
  const text = await kubectl(options, [
    'get',
    'nodes',
    '-l',
    `${options.poolLabel}=${pool}`,
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

function kubectl(options: OtherUpgrade, args: readonly string[], timeoutMs = 30_000): Promise<string> {
  return run(toolPaths().kubectl, ['--kubeconfig', options.kubeconfigPath, ...args], { timeoutMs });
}
