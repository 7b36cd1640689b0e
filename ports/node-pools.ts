import type { InstanceFacts, PoolFacts, PoolRef } from '../core/model/pool.ts';
import type { TargetPolicy } from '../core/policy/policy.ts';

/** What became of the wish to terminate one instance. */
export interface TerminationOutcome {
  /** `already` when it was terminating, terminated or unknown to the cloud before we asked. */
  readonly outcome: 'terminating' | 'already';
}

/** Node pools of one cloud. Every call may be repeated: it looks before it acts. Throws NodeferryError. */
export interface NodePools {
  /** @throws PoolNotFound */
  describePool(ref: PoolRef): Promise<PoolFacts>;
  /** Same as describePool, but undefined for a pool that isn't there. */
  findPool(ref: PoolRef): Promise<PoolFacts | undefined>;
  /** Pools that runs have created in place of this one, whether or not it is still there. */
  findReplacements(ref: PoolRef): Promise<readonly PoolFacts[]>;
  /**
   * Asks the cloud, as far as it can tell beforehand, whether we may create such a replacement; changes nothing. @throws Forbidden,
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
   * Asks for so many machines in a pool that this run made in place of `source`; fine when it was asked for that many, or more, already. @throws NotOwned for
   * another's pool
   */
  resize(
    ref: PoolRef,
    request: { readonly size: number; readonly run: string; readonly source: PoolRef },
  ): Promise<void>;
  /**
   * Gives up machines that a pool should have and never got: its size becomes that of those it has, and none ends. The cloud starts no
   * machine there until the pool is released (`restoreScaling`).
   */
  trimPool(ref: PoolRef): Promise<void>;
  /**
   * Stops the cloud from adding, moving or replacing machines of the pool by itself and lets its size go down to none;
   * returns what we changed, for the ledger, the same on every call. @throws Conflict while the pool is too young to be held.
   */
  suspendScaling(ref: PoolRef): Promise<readonly string[]>;
  /**
   * Puts that back, as far as the machines that are left allow; fine for a pool that is gone. While its zones are lopsided the cloud goes
   * on being kept from moving machines between them, because it would end one that serves: answers that, in words, with what ends it.
   */
  restoreScaling(ref: PoolRef, suspended: readonly string[]): Promise<readonly string[]>;
  observeInstances(ref: PoolRef): Promise<readonly InstanceFacts[]>;
  /** Terminates that very instance and lowers the pool's size by one; refuses an instance of another pool (NotOwned). */
  terminateInstance(ref: PoolRef, instanceId: string): Promise<TerminationOutcome>;
  /** State of one instance, whatever pool it was in; `terminated` for one that the cloud has forgotten. */
  observeInstance(ref: PoolRef, instanceId: string): Promise<InstanceFacts['state']>;
  /**
   * Asks for deletion; fine when it is being deleted or gone. With `onlyIfCreatedBy` it refuses (NotOwned) a pool that this
   * run did not make; without, it refuses (ProviderRefused) one that still has machines.
   */
  deletePool(ref: PoolRef, options: { readonly onlyIfCreatedBy?: string }): Promise<void>;
}
