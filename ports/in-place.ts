import type { PoolRef } from '../core/model/pool.ts';
import type { TargetPolicy } from '../core/policy/policy.ts';

/**
 * Replaces the nodes of a pool under its own name. Only a provider that can do that has it. Instances are terminated one by one, as in other pools
 * (`PoolAccess.terminateInstance`). Every call may be repeated: it checks the current state before it acts. Throws NodeferryError.
 */
export interface InPlace {
  /**
   * Has the pool make its instances from the target's settings from now on, and requests `size` instances in addition to the old ones, which stay as
   * they are. Does nothing when as many, or more, have been requested already. The maximum size may rise until `settle`.
   * @throws NodeferryError PlanOutdated, having changed nothing, when the pool has an instance that is not among `old` and was made from its former
   * settings, or when another run has changed it; PoolNotFound
   */
  addInstances(
    ref: PoolRef,
    request: {
      readonly target: TargetPolicy;
      readonly size: number;
      readonly run: string;
      /** IDs of the instances that the pool had before the run. Those that are gone are not counted. */
      readonly old: readonly string[];
    },
  ): Promise<void>;
  /**
   * Ends that. The pool gets its maximum size back, and the settings from which it made its instances before, unless the run keeps those of the target.
   * Its instances stay as they are. Does nothing for a pool that this run has not changed.
   */
  settle(ref: PoolRef, request: { readonly run: string; readonly keep: boolean }): Promise<void>;
}
