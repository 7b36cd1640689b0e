import type { PoolRef } from '../../core/model/pool.ts';
import { nameIn, zoneIn } from '../gcp/load-balancers/paths.ts';
import { listBackendServices } from '../gcp/load-balancers/read.ts';
import type { GkeClients } from './clients.ts';
import { type GroupName, requirePool } from './observe.ts';

/**
 * What sends to the managed instance groups of a pool: backend services that have one of them as a backend, and target pools to which they add their VMs
 * (Compute API reference, BackendService `backends[].group`, InstanceGroupManager `targetPools`). Controllers of Kubernetes have groups and target pools of
 * their own, in which nodes of all pools are. Backend services of other projects, which may have groups of this one, are not seen.
 */
export async function findAttached(clients: GkeClients, ref: PoolRef): Promise<readonly string[]> {
  const { groups } = await requirePool(clients, ref);
  const services = (await listBackendServices({ client: clients, region: ref.region })).filter(({ backends = [] }) =>
    backends.some(({ group }) => groups.some((one) => isGroup(one, group))),
  );
  const targetPools = groups.flatMap((group) => group.targetPools);
  return [...new Set([...services.map(({ name }) => name ?? ''), ...targetPools.map(nameIn)])].toSorted();
}

/** A backend names the instance group, the pool its manager: both have the same name. */
function isGroup({ zone, name }: GroupName, url: string | null | undefined): boolean {
  return nameIn(url) === name && zoneIn(url) === zone;
}
