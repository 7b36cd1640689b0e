import type {
  InstanceFacts,
  PoolFacts,
  PoolRef,
  SubnetFacts,
  SuspendedScaling,
  SuspensionToken,
} from '../core/model/pool.ts';
import type { TargetPolicy } from '../core/policy/policy.ts';
import type { ZonedSize } from '../core/surge/zoned-size.ts';
import type { InPlace } from './in-place.ts';

/** The result of a request to terminate one instance. */
export interface TerminationOutcome {
  /** `already` when it was terminating, terminated or unknown to the cloud before the request. */
  readonly outcome: 'terminating' | 'already';
}

/** What every provider of node pools can do. Every call may be repeated: it checks the current state before it acts. Throws NodeferryError. */
export interface PoolAccess {
  /** @throws NodeferryError PoolNotFound */
  describePool(ref: PoolRef): Promise<PoolFacts>;
  /** The same as describePool, but undefined for a pool that does not exist. */
  findPool(ref: PoolRef): Promise<PoolFacts | undefined>;
  observeInstances(ref: PoolRef): Promise<readonly InstanceFacts[]>;
  /**
   * State of one instance, whichever pool it was in: `terminating` from when its end was requested, even while it still runs; `terminated` for one that
   * the cloud no longer knows.
   */
  observeInstance(ref: PoolRef, instanceId: string): Promise<InstanceFacts['state']>;
  /** Terminates exactly that instance and lowers the pool's size by one; refuses an instance of another pool (NotOwned). */
  terminateInstance(ref: PoolRef, instanceId: string): Promise<TerminationOutcome>;
}

/** What a provider can do besides. It leaves out what it can't do, and its traits say so (`ProviderTraits.lacks`). */
export interface PoolCapabilities {
  readonly replacement?: PoolReplacement;
  readonly size?: PoolSize;
  /** A provider that leaves it out changes no pool on its own. */
  readonly scaling?: PoolScaling;
  readonly inPlace?: InPlace;
  /**
   * The subnets in which new instances of that pool start, with their free addresses. A provider whose pools bring their own addresses leaves it out.
   * @throws NodeferryError Forbidden, PoolNotFound
   */
  readonly findSubnets?: (ref: PoolRef) => Promise<readonly SubnetFacts[]>;
  /**
   * Load balancers, or sets of their targets, with which the cloud registers each instance of that pool; none of those that controllers of the cluster
   * fill. A provider that leaves it out tells of them among the facts of each pool. @throws NodeferryError Forbidden, PoolNotFound
   */
  readonly findAttached?: (ref: PoolRef) => Promise<readonly string[]>;
  /**
   * Permissions that a worker needs and the caller lacks, where that pool is. A provider that can't be asked leaves it out. @throws NodeferryError where
   * there is no answer
   */
  readonly findMissingPermissions?: (pool: Pick<PoolRef, 'locator'>) => Promise<readonly string[]>;
}

/** The node pools of one cloud. */
export type NodePoolProvider = PoolAccess & PoolCapabilities;

/** The same of a cloud that creates, resizes and scales pools. */
export type ManagedNodePools = NodePoolProvider & Required<Pick<NodePoolProvider, 'replacement' | 'size' | 'scaling'>>;

/** A call whose requests may come minutes after it has begun, because the cloud makes one change after another. */
export interface Guarded {
  /** Called right before each request that changes something. It throws when the caller may not change anything any more. */
  readonly beforeChange?: () => Promise<void>;
}

/** Creates pools, and deletes them. Calls may be repeated, as those of PoolAccess. */
export interface PoolReplacement {
  /** Pools that runs have created to replace this one, whether or not it still exists. */
  findReplacements(ref: PoolRef): Promise<readonly PoolFacts[]>;
  /**
   * Asks the cloud, as far as it can say beforehand, whether we may create such a replacement; changes nothing. @throws NodeferryError Forbidden,
   * ProviderRefused
   */
  requireMayCreate(request: { readonly source: PoolRef; readonly target: TargetPolicy }): Promise<void>;
  /** Creates a pool like `source` with the target's changes; a second call with the same token changes nothing. */
  createPool(
    request: InstanceRequest &
      Guarded & {
        readonly source: PoolRef;
        readonly target: TargetPolicy;
        readonly run: string;
        readonly token: string;
        /** Whether there may never be more instances than `size`, even if that takes longer. */
        readonly isLimit?: boolean;
      },
  ): Promise<void>;
  /**
   * Requests this many instances in a pool that this run created. Does nothing when as many, or more, have been requested already. @throws NodeferryError NotOwned for a pool that another run created
   */
  resize(ref: PoolRef, request: InstanceRequest & Guarded & { readonly run: string }): Promise<void>;
  /**
   * Requests the deletion; does nothing while the pool is being deleted. What runs have changed elsewhere for its sake is restored, also when the pool is
   * gone already. With `onlyIfCreatedBy` it refuses (NotOwned) a pool that this run did not create. Without it, it refuses (ProviderRefused) a pool that still
   * has instances, also one that has got them while that was restored.
   */
  deletePool(ref: PoolRef, options: Guarded & { readonly onlyIfCreatedBy?: string }): Promise<void>;
}

/** Instances that are requested. */
export interface InstanceRequest {
  /** How many there should be, in all zones. */
  readonly size: number;
  /** How many of them each zone needs; absent where nothing is known. A provider that can't choose zones spreads them as it does (`ProviderTraits.spread`). */
  readonly zones?: ZonedSize;
}

/** Changes the size of a pool that its run has not created. Calls may be repeated. */
interface PoolSize {
  /**
   * Requests again the instances that a pool had before its run. Does nothing when as many, or more, have been requested already, and never changes
   * the maximum size. Launches also where `trimPool` has stopped that. @throws NodeferryError ProviderRefused when the maximum size or a process that
   * somebody else has suspended does not allow it, PoolNotFound
   */
  restoreSize(ref: PoolRef, request: InstanceRequest & Guarded): Promise<void>;
  /**
   * Gives up the instances that a pool should have and never got: its size becomes the number that it has, and none is terminated. The cloud launches
   * no instance there until its scaling is restored (`PoolScaling.restore`).
   */
  trimPool(ref: PoolRef): Promise<void>;
}

/** Stops what the cloud does to a pool on its own. Calls may be repeated. */
interface PoolScaling {
  /**
   * Stops the cloud from adding, moving or replacing instances of the pool on its own, and lets its size go down to zero. Returns what was changed,
   * which the rollback needs; the same on every call. @throws NodeferryError Conflict while the pool is too new for that
   */
  suspend(ref: PoolRef, options?: Guarded): Promise<SuspensionToken>;
  /**
   * The part of it that has to come before another pool of the cluster is created: what would drain old nodes as soon as there are new ones, and what the
   * cloud does not change meanwhile. `suspend` returns it too. Absent where there is none.
   */
  suspendFirst?(ref: PoolRef, options?: Guarded): Promise<void>;
  /**
   * Restores that, as far as the remaining instances allow; of a pool that is gone, what `findOrphaned` finds. Without a token, restores what the pool itself has
   * recorded. While its zones are not balanced, rebalancing stays suspended, because it would terminate an instance that serves. Returns what stays
   * suspended, as text, with the command that resumes it.
   */
  restore(ref: PoolRef, token: SuspensionToken | undefined): Promise<readonly string[]>;
  /** What is still suspended for a pool that is gone. Absent where everything is a setting of the pool itself. */
  findOrphaned?(ref: PoolRef): Promise<SuspendedScaling | undefined>;
}
