/** A machine of a node pool, as the cloud sees it. */
export interface InstanceFacts {
  readonly instanceId: string;
  readonly zone: string;
  readonly state: 'pending' | 'running' | 'terminating' | 'terminated';
}

/** Names a node pool without saying how its cloud calls it. */
export interface PoolRef {
  readonly cluster: string;
  readonly region: string;
  readonly name: string;
}

/** What the cloud says of one node pool. */
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
  /** What is held on it, as ledger entries of its adapter; absent when nothing is. */
  readonly held?: readonly string[];
  /** Run that created it; absent for a pool that nodeferry did not make. */
  readonly createdBy?: string;
  /** Problems in the cloud's own words, e.g. `AsgInstanceLaunchFailures: Insufficient capacity`. */
  readonly problems: readonly string[];
}
