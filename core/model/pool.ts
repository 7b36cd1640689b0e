/** The provider of nodes of which no cloud is asked. */
export const noProvider = 'none';

/** An instance of a node pool, as reported by the cloud. */
export interface InstanceFacts {
  readonly instanceId: string;
  readonly zone: string;
  /** `stopped`: it is off and can be started again, so it is not gone. */
  readonly state: 'pending' | 'running' | 'stopped' | 'terminating' | 'terminated';
}

/** Whether an instance is neither ending nor gone. */
export function isLive({ state }: Pick<InstanceFacts, 'state'>): boolean {
  return state !== 'terminating' && state !== 'terminated';
}

/** Identifies a node pool of any cloud. */
export interface PoolRef {
  readonly cluster: string;
  readonly region: string;
  readonly name: string;
  /** Name of its provider. Whatever differs between providers, their adapters know: nobody else compares names. */
  readonly provider: string;
  /** What else its provider needs to find the cluster, in the words of the provider. Only its adapter and traits read it. */
  readonly locator?: Readonly<Record<string, string>>;
}

declare const readableByItsAdapter: unique symbol;

/**
 * What suspending the scaling of a pool has changed. Only the adapter that returned it reads it. Plain JSON: it is kept in the history of a run. All
 * adapters that write one must also read those of their earlier versions.
 */
export interface SuspensionToken {
  readonly [readableByItsAdapter]: never;
}

/** Scaling that is suspended, for the adapter that restores it and for people. */
export interface SuspendedScaling {
  readonly token: SuspensionToken;
  /** What is suspended or changed, in the cloud's words, e.g. `AZRebalance`, `minimum size 2`. */
  readonly what: readonly string[];
}

/** What a provider of node pools may be unable to do: create and delete pools, change their size, replace one under its own name. */
export type PoolCapability = 'replacement' | 'size' | 'inPlace';

/** Why a provider can't do something, and what to do instead. */
interface Lack {
  readonly message: string;
  readonly hint: string;
}

/** What a provider can't do. */
export type Lacks = Readonly<Partial<Record<PoolCapability, Lack>>>;

/** A subnet in which instances of a pool start. */
export interface SubnetFacts {
  /** What the cloud calls it. */
  readonly name: string;
  readonly zone: string;
  /** Its IPv4 addresses, as a block. */
  readonly cidr: string;
  /** How many of them nobody uses. */
  readonly free: number;
}

/** What the cloud reports about one node pool. */
export interface PoolFacts {
  readonly ref: PoolRef;
  readonly status: 'creating' | 'active' | 'updating' | 'deleting' | 'failed' | 'degraded';
  readonly version: string;
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly zones: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly instances: readonly InstanceFacts[];
  /** Absent when nodeferry has suspended nothing. */
  readonly suspended?: SuspendedScaling;
  /** Run that created it. Absent for a pool that nodeferry did not create. */
  readonly createdBy?: string;
  /** Problems in the cloud's own words, e.g. `AsgInstanceLaunchFailures: Insufficient capacity`. */
  readonly problems: readonly string[];
  /** Load balancers, or sets of their targets, with which the cloud registers each instance of the pool. Absent where there are none. */
  readonly attached?: readonly string[];
  /** Why those could not be read. Only read for a plan where the cloud has to be asked for them separately. */
  readonly attachedUnread?: string;
  /**
   * Settings that somebody has made on what the cloud has made of the pool, and that a new pool does not get, in the cloud's words, e.g. `AZRebalance
   * suspended`. Absent where there are none.
   */
  readonly ownSettings?: readonly string[];
  /** The subnets in which the instances start that replace it. Only read for a plan, and absent where the cloud can't be asked. */
  readonly subnets?: readonly SubnetFacts[];
  /** Why they could not be read. */
  readonly subnetsUnread?: string;
}

/** How many instances that are not being terminated each zone of the pool has, those without any included. */
export function liveZones({
  zones,
  instances,
}: Pick<PoolFacts, 'zones' | 'instances'>): Readonly<Record<string, number>> {
  const living = instances.filter(isLive);
  const names = new Set([...zones, ...living.map(({ zone }) => zone)]);
  return Object.fromEntries([...names].map((name) => [name, living.filter(({ zone }) => zone === name).length]));
}

/** Instance IDs of the pool's instances that are not being terminated. */
export function liveInstances({ instances }: Pick<PoolFacts, 'instances'>): readonly string[] {
  return instances.filter(isLive).map(({ instanceId }) => instanceId);
}
