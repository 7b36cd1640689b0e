import { activityInfo } from '@temporalio/activity';
import type { UnreadyBefore } from '../core/eviction/unready-before.ts';
import type { FencingToken, NodeRef } from '../core/model/node.ts';
import { poolLockName } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { explainSuccessor } from '../core/model/successor.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Guarded } from '../ports/node-pools.ts';
import { type Poll, type PollContext, throwIfCancelled } from './polling.ts';

/** Name of the lock on the pool of a policy. */
export function poolLockOf({ cluster, pool }: Policy): string {
  return poolLockName(cluster.name, pool.name);
}

/**
 * A worker that serves another cluster finds nothing of the run there, and would take all of it for gone.
 * `next`: what can be done then; a run that has changed nothing yet has ended with this error.
 * @throws NodeferryError NotOwned unless this is the cluster in which the run was planned
 */
export async function requireCluster(
  cluster: Pick<Fencing, 'findClusterUid'>,
  { clusterUid }: Policy,
  next: 'resume' | 'start again' = 'resume',
): Promise<void> {
  if (clusterUid === undefined) return;
  const own = await cluster.findClusterUid();
  if (own === undefined || own === clusterUid) return;
  throw new NodeferryError({
    code: 'NotOwned',
    message: `the run was planned in the cluster whose namespace kube-system has the UID ${clusterUid}, but this worker's cluster has ${own}`,
    hint: `${oneQueueOneCluster}; then ${next}.`,
  });
}

/** What to check about a worker of another cluster; the beginning of a sentence. */
export const oneQueueOneCluster =
  'One task queue serves one cluster: check KUBECONFIG and NODEFERRY_TASK_QUEUE of the workers';

/** Position of a step in its run: how often the node was excluded, and how many steps it has run since. */
export interface NodeAttempt {
  readonly round: number;
  readonly step: number;
}

/** Keeps a step from acting on a node that it no longer owns. */
export interface Fence {
  /**
   * A poll that first checks that the run still holds its pool, and that no later attempt has the node. While the pool is held by another
   * run, or by none, it waits and changes nothing; it continues once the run has reacquired the lock.
   */
  readonly around: <T>(poll: (context: PollContext) => Promise<Poll<T>>) => (context: PollContext) => Promise<Poll<T>>;
  /** The same check right before an action. @throws LockLost, Superseded, Conflict once another node has the name of the node */
  readonly check: () => Promise<void>;
}

/** The check of a fence right before each change of a call that may wait between them, during which the attempt may be cancelled. */
export function beforeEachChange({ check }: Fence): Guarded {
  return {
    beforeChange: async () => {
      throwIfCancelled();
      await check();
    },
  };
}

/** The fence of this attempt at a step of a node. */
export function openFence(
  cluster: Fencing,
  {
    node,
    run,
    policy,
    attempt,
  }: { readonly node: NodeRef; readonly run: string; readonly policy: Policy; readonly attempt: NodeAttempt },
): Fence {
  const fence: FencingToken = { run, ...attempt, attempt: activityInfo().attempt };
  const lock = poolLockOf(policy);
  let fenced = false;

  async function fenceOnce(): Promise<void> {
    await cluster.fenceNode(node, fence);
    // A later attempt's fence stays; the error says that it is not ours.
    await cluster.requireFence(node, fence);
    fenced = true;
  }

  return {
    around: (poll) =>
      whileHoldingPool(async (context) => {
        await requireCluster(cluster, policy);
        await cluster.requireLock(lock, run);
        if (!fenced) await fenceOnce();
        return await poll(context);
      }),
    check: async () => {
      await requireCluster(cluster, policy);
      // What was observed may be older: pods by that name are no longer those of the node.
      if ((await cluster.requireFence(node, fence)) === 'succeeded')
        throw new NodeferryError({ code: 'Conflict', message: explainSuccessor(node) });
      await cluster.requireLock(lock, run);
    },
  };
}

/** Input of a step that concerns the whole pool. */
export interface PoolStepInput {
  readonly run: string;
  readonly policy: Policy;
  /** Increases with every step of the run, also across a reset. */
  readonly sequence: number;
  /** Pods that were not ready when the run was planned; absent where all were. */
  readonly unreadyBefore?: UnreadyBefore;
}

/**
 * The fence of this attempt at a step of the pool, a fencing token of the run on the pool's lock: it keeps the attempt from acting once a later one
 * has begun.
 */
export function openPoolFence(cluster: Fencing, { run, policy, sequence }: PoolStepInput): Fence {
  const fence: FencingToken = { run, round: 0, step: sequence, attempt: activityInfo().attempt };
  const check = async () => {
    await requireCluster(cluster, policy);
    await cluster.fenceLock(poolLockOf(policy), fence);
  };
  return {
    check,
    around: (poll) =>
      whileHoldingPool(async (context) => {
        await check();
        return await poll(context);
      }),
  };
}

/** The same for steps that need no lock: restoring, and actions that affect nobody. Later attempts still supersede them. */
export function openLooseFence(cluster: Fencing, input: PoolStepInput): Fence {
  const strict = openPoolFence(cluster, input);
  const check = async () => {
    try {
      await strict.check();
    } catch (error) {
      if (!isLockLost(error)) throw error;
    }
  };
  return {
    check,
    around: (poll) => async (context) => {
      await check();
      return await poll(context);
    },
  };
}

function whileHoldingPool<T>(
  poll: (context: PollContext) => Promise<Poll<T>>,
): (context: PollContext) => Promise<Poll<T>> {
  return async (context) => {
    try {
      return await poll(context);
    } catch (error) {
      if (!isLockLost(error)) throw error;
      return { done: false, reason: error.problem.message };
    }
  };
}

function isLockLost(error: unknown): error is NodeferryError {
  return error instanceof NodeferryError && error.problem.code === 'LockLost';
}
