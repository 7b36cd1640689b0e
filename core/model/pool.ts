/** The provider of nodes of which no cloud is asked. */
export const noProvider = 'none';

/** An instance of a node pool, as reported by the cloud. */
export interface InstanceFacts {
  readonly instanceId: string;
  readonly zone: string;
  readonly state: 'pending' | 'running' | 'terminating' | 'terminated';
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
  /** Suspended scaling settings, in the form in which its adapter restores them. Absent when nothing is suspended. */
  readonly suspended?: readonly string[];
  /** Run that created it. Absent for a pool that nodeferry did not create. */
  readonly createdBy?: string;
  /** Problems in the cloud's own words, e.g. `AsgInstanceLaunchFailures: Insufficient capacity`. */
  readonly problems: readonly string[];
}

/** Instance IDs of the pool's instances that are not being terminated. */
export function liveInstances({ instances }: Pick<PoolFacts, 'instances'>): readonly string[] {
  return instances
    .filter(({ state }) => state === 'pending' || state === 'running')
    .map(({ instanceId }) => instanceId);
}
