import type { protos } from '@google-cloud/container';
import { nodeVersions } from './gke/create.ts';
import { addGroups, addPool } from './gke/pools.ts';
import type { Cluster } from './gke/state.ts';
import type { World } from './world.ts';

/** A cluster that exists from the start. */
export interface ClusterSeed {
  readonly name: string;
  /** Default the region. */
  readonly location?: string;
  /** Default all zones of the region, or the zone that is its location. */
  readonly zones?: readonly string[];
  readonly autopilot?: boolean;
  /** Default `UNSPECIFIED`: in no release channel. */
  readonly channel?: Cluster['channel'];
  readonly version?: string;
  readonly maintenance?: protos.google.container.v1.IMaintenancePolicy;
  /** Node pools whose VMs run already; `initialNodeCount` is per zone. */
  readonly pools?: readonly protos.google.container.v1.INodePool[];
}

/** Adds the cluster with its pools. */
export function seedCluster(world: World, seed: ClusterSeed): void {
  const location = seed.location ?? world.region;
  const cluster: Cluster = {
    name: seed.name,
    location,
    zones: seed.zones ?? (location === world.region ? world.zones : [location]),
    autopilot: seed.autopilot ?? false,
    channel: seed.channel ?? 'UNSPECIFIED',
    version: seed.version ?? nodeVersions[0],
    maintenance: { resourceVersion: '1', ...seed.maintenance },
    pools: new Map(),
  };
  world.clusters.set(cluster.name, cluster);
  for (const spec of seed.pools ?? []) {
    const pool = addPool(cluster, { version: '1.35.8-gke.1000', ...spec });
    addGroups(world, cluster, pool, 0);
    pool.status = 'RUNNING';
  }
}
