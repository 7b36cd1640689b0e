import { NodeferryError } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Look, LookContext } from './polling.ts';

/** Name of the lock on a pool; its holder is the run. */
export function poolLockName(policy: Policy): string {
  return `nodeferry-${policy.cluster.name}-${policy.pool.name}`;
}

/**
 * Fences looks that act: each begins by making sure that the run still holds the lock on its pool. While somebody else holds it,
 * or nobody, the step waits and touches nothing; it goes on once the run has taken the lock again.
 */
export function whileLocked<T>(
  cluster: Cluster,
  { policy, run }: { readonly policy: Policy; readonly run: string },
  look: (context: LookContext) => Promise<Look<T>>,
): (context: LookContext) => Promise<Look<T>> {
  return async (context) => {
    try {
      await cluster.requireLock(poolLockName(policy), run);
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'LockLost') throw error;
      return { done: false, reason: error.problem.message };
    }
    return await look(context);
  };
}
