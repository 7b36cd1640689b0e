import { activityInfo } from '@temporalio/activity';
import type { NodeClaim, NodeRef } from '../core/model/node.ts';
import { poolLockName } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Look, LookContext } from './polling.ts';

/** Name of the lock on the pool of a policy. */
export function poolLockOf({ cluster, pool }: Policy): string {
  return poolLockName(cluster.name, pool.name);
}

/** How long the lock on a pool outlives its last renewal, ms. */
export const poolLeaseMs = 60_000;

/** Where a step stands in its run: how often the node was let go, and how many steps it has taken since. */
export interface Turn {
  readonly round: number;
  readonly step: number;
}

/** Keeps a step from acting on a node that is not its own any more. */
export interface Fence {
  /**
   * A look that begins by making sure that the run still holds its pool, and that no later attempt has the node. While somebody else
   * holds the pool, or nobody, it waits and touches nothing; it goes on once the run has taken the lock again.
   */
  around<T>(look: (context: LookContext) => Promise<Look<T>>): (context: LookContext) => Promise<Look<T>>;
  /** The same question right before an act. @throws LockLost, Superseded */
  check(): Promise<void>;
}

/** The fence of this attempt of a step on a node. */
export function openFence(
  cluster: Cluster,
  {
    node,
    run,
    policy,
    turn,
  }: { readonly node: NodeRef; readonly run: string; readonly policy: Policy; readonly turn: Turn },
): Fence {
  const claim: NodeClaim = { run, ...turn, attempt: activityInfo().attempt };
  const lock = poolLockOf(policy);
  let claimed = false;

  async function take(): Promise<void> {
    await cluster.claimNode(node, claim);
    // A later attempt's claim stays; that it is not ours is told by the error.
    await cluster.requireClaim(node, claim);
    claimed = true;
  }

  return {
    around: (look) =>
      whileHolding(async (context) => {
        await cluster.requireLock(lock, run);
        if (!claimed) await take();
        return await look(context);
      }),
    check: async () => {
      await cluster.requireClaim(node, claim);
      await cluster.requireLock(lock, run);
    },
  };
}

/** The same for a look that acts on no one node: it asks for the lock alone. */
export function whileLocked<T>(
  cluster: Cluster,
  { policy, run }: { readonly policy: Policy; readonly run: string },
  look: (context: LookContext) => Promise<Look<T>>,
): (context: LookContext) => Promise<Look<T>> {
  return whileHolding(async (context) => {
    await cluster.requireLock(poolLockOf(policy), run);
    return await look(context);
  });
}

function whileHolding<T>(look: (context: LookContext) => Promise<Look<T>>): (context: LookContext) => Promise<Look<T>> {
  return async (context) => {
    try {
      return await look(context);
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'LockLost') throw error;
      return { done: false, reason: error.problem.message };
    }
  };
}
