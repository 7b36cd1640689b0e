import type { InstanceFacts, PoolFacts, PoolRef } from '../core/model/pool.ts';
import type { TargetPolicy } from '../core/policy/policy.ts';

/** The result of a request to terminate one instance. */
export interface TerminationOutcome {
  /** `already` when it was terminating, terminated or unknown to the cloud before the request. */
  readonly outcome: 'terminating' | 'already';
}

/** Node pools of one cloud. Every call may be repeated: it checks the current state before it acts. Throws NodeferryError. */
export interface NodePools {
  /** @throws NodeferryError PoolNotFound */
  describePool(ref: PoolRef): Promise<PoolFacts>;
  /** The same as describePool, but undefined for a pool that does not exist. */
  findPool(ref: PoolRef): Promise<PoolFacts | undefined>;
  /** Pools that runs have created to replace this one, whether or not it still exists. */
  findReplacements(ref: PoolRef): Promise<readonly PoolFacts[]>;
  /**
   * Asks the cloud, as far as it can say beforehand, whether we may create such a replacement; changes nothing. @throws NodeferryError Forbidden,
   * ProviderRefused
   */
  requireMayCreate(request: { readonly source: PoolRef; readonly target: TargetPolicy }): Promise<void>;
  /** Creates a pool like `source` with the target's changes; a second call with the same token changes nothing. */
  createPool(request: {
    readonly source: PoolRef;
    readonly target: TargetPolicy;
    readonly size: number;
    readonly run: string;
    readonly token: string;
  }): Promise<void>;
  /**
   * Requests this many instances in a pool that this run created to replace `source`. Does nothing when as many, or more, have been requested
   * already. @throws NodeferryError NotOwned for a pool that another run created
   */
  resize(
    ref: PoolRef,
    request: { readonly size: number; readonly run: string; readonly source: PoolRef },
  ): Promise<void>;
  /**
   * Requests again the instances that a pool had before its run: its size becomes `size`. Does nothing when as many, or more, have been requested
   * already, and never changes the maximum size. Launches also where `trimPool` has stopped that. @throws NodeferryError ProviderRefused when the
   * maximum size or a process that somebody else has suspended does not allow it, PoolNotFound
   */
  restoreSize(ref: PoolRef, size: number): Promise<void>;
  /**
   * Gives up the instances that a pool should have and never got: its size becomes the number that it has, and none is terminated. The cloud launches
   * no instance there until its scaling is restored (`restoreScaling`).
   */
  trimPool(ref: PoolRef): Promise<void>;
  /**
   * Stops the cloud from adding, moving or replacing instances of the pool on its own, and lets its size go down to zero. Returns what was changed,
   * which the rollback needs; the same on every call. @throws NodeferryError Conflict while the pool is too new for that
   */
  suspendScaling(ref: PoolRef): Promise<readonly string[]>;
  /**
   * Restores that, as far as the remaining instances allow; does nothing for a pool that is gone. While its zones are not balanced, rebalancing stays
   * suspended, because it would terminate an instance that serves. Returns what stays suspended, as text, with the command that resumes it.
   */
  restoreScaling(ref: PoolRef, suspended: readonly string[]): Promise<readonly string[]>;
  observeInstances(ref: PoolRef): Promise<readonly InstanceFacts[]>;
  /** Terminates exactly that instance and lowers the pool's size by one; refuses an instance of another pool (NotOwned). */
  terminateInstance(ref: PoolRef, instanceId: string): Promise<TerminationOutcome>;
  /** State of one instance, whichever pool it was in; `terminated` for one that the cloud no longer knows. */
  observeInstance(ref: PoolRef, instanceId: string): Promise<InstanceFacts['state']>;
  /**
   * Requests the deletion; does nothing when the pool is being deleted or gone. With `onlyIfCreatedBy` it refuses (NotOwned) a pool that this run did
   * not create. Without it, it refuses (ProviderRefused) a pool that still has instances.
   */
  deletePool(ref: PoolRef, options: { readonly onlyIfCreatedBy?: string }): Promise<void>;
}
