import type { Clock } from './clock.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { LoadBalancers } from './load-balancers.ts';
import type { ProviderPools } from './provider.ts';
import type { Timings } from './timings.ts';
import type { Traffic } from './traffic.ts';
import type { Windows } from './windows.ts';

/** Everything that the steps of an upgrade need from outside. `C`: the capabilities of the cluster that are used. */
export interface Ports<C = Cluster> {
  readonly pools: ProviderPools;
  readonly loadBalancers: LoadBalancers;
  readonly cluster: C;
  readonly traffic: Traffic;
  /** What earlier runs have learned. */
  readonly timings: Timings;
  readonly windows: Windows;
  readonly clock: Clock;
}
