import { notFound, RpcError } from '../errors.ts';
import type { World } from '../world.ts';
import type { Cluster, NodePool } from './state.ts';

/** A cluster by its full name or that of something in it. @throws RpcError NOT_FOUND */
export function clusterOf(world: World, name: string | null | undefined): Cluster {
  const [, project, location, id] = /^projects\/([^/]+)\/locations\/([^/]+)\/clusters\/([^/]+)/.exec(name ?? '') ?? [];
  const cluster = world.clusters.get(id ?? '');
  if (project !== world.project || cluster === undefined || cluster.location !== location) {
    throw notFound(`projects/${project}/locations/${location}/clusters/${id}`);
  }
  return cluster;
}

/** A node pool by its full name, with its cluster. @throws RpcError NOT_FOUND */
export function poolOf(world: World, name: string | null | undefined): { cluster: Cluster; pool: NodePool } {
  const cluster = clusterOf(world, name);
  const pool = cluster.pools.get(name?.split('/nodePools/')[1] ?? '');
  if (pool === undefined) throw notFound(name ?? '');
  return { cluster, pool };
}

/** The same for a call that changes the pool. @throws RpcError INVALID_ARGUMENT in an Autopilot cluster, whose pools belong to GKE */
export function changeablePool(world: World, name: string | null | undefined): { cluster: Cluster; pool: NodePool } {
  const found = poolOf(world, name);
  requireStandard(found.cluster);
  return found;
}

/** @throws RpcError INVALID_ARGUMENT for an Autopilot cluster */
export function requireStandard(cluster: Cluster): void {
  if (cluster.autopilot) throw new RpcError('INVALID_ARGUMENT', 'Autopilot node pools cannot be accessed or modified.');
}

/** Fields of a request that carry something. */
function fieldsOf(request: object): string[] {
  return Object.entries(request)
    .filter(([, value]) => value !== '' && value !== 0 && value !== undefined && value !== null)
    .map(([key]) => key);
}

/** Refuses a request with fields that this model ignores. */
export function requireModelled(method: string, request: object, known: readonly string[]): void {
  const unknown = fieldsOf(request).filter((field) => !known.includes(field));
  if (unknown.length === 0) return;
  throw new RpcError('UNIMPLEMENTED', `the simulated GKE does not know ${unknown.join(', ')} of ${method}`);
}
