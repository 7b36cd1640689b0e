import type { NodeRef } from '../core/model/node.ts';
import type { Lacks, PoolRef } from '../core/model/pool.ts';
import type { ZonedSize } from '../core/surge/zoned-size.ts';
import type { PoolAccess, PoolCapabilities } from './node-pools.ts';

/** What a provider of node pools is like, known without asking it anything. Its words are shown to operators. */
export interface ProviderTraits {
  /** What it is called in messages. */
  readonly title: string;
  /** Whether it can be asked for pools and instances. Otherwise only Node objects tell what exists. */
  readonly hasPools: boolean;
  /** Environment variables that name the region of a cluster, the first that is set counts. None when it needs no region. */
  readonly regionVariables: readonly string[];
  /** For each capability that it leaves out: why, in its own words. */
  readonly lacks: Lacks;
  /** What zones of a new pool get that has all its instances at once, for these numbers; the names of all zones of the pool are in it. */
  readonly spread: (needs: ZonedSize) => ZonedSize;
  /** The same of a pool that grows to these numbers. */
  readonly grows: (needs: ZonedSize) => ZonedSize;
  /** What to check when it refuses to change the scaling of a pool. */
  readonly scalingHint: string;
  /** How an operator terminates exactly that instance by hand, as a command or an instruction. */
  readonly terminateByHand: (
    pool: Pick<PoolRef, 'region' | 'locator'>,
    node: Pick<NodeRef, 'name' | 'instanceId' | 'zone'>,
  ) => string;
  /** How an operator lists the pools of the cluster, as a command. */
  readonly listPools: (pool: Pick<PoolRef, 'cluster' | 'region' | 'locator'>) => string;
}

/** The node pools of all providers: each call goes to the provider of its pool. */
export interface ProviderPools extends PoolAccess {
  /** @throws NodeferryError InvalidPolicy for a provider that this version does not know */
  traitsOf(pool: Pick<PoolRef, 'provider'>): ProviderTraits;
  /** What the provider of this pool can do besides. @throws as `traitsOf` does */
  capabilitiesOf(pool: Pick<PoolRef, 'provider'>): PoolCapabilities;
}
