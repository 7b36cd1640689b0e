import type { protos } from '@google-cloud/container';
import type { compute_v1 } from '@googleapis/compute';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { readScopes, requireReached } from '../gcp/aggregated.ts';
import { allPages, callCompute } from '../gcp/compute-client.ts';
import { readGoogleError } from '../gcp/read-error.ts';
import { hasCode } from '../gcp/retry.ts';
import { type GkeClients, readGke } from './clients.ts';
import { clusterName, poolName, poolSubject } from './names.ts';
import type { NodePoolMessage } from './settings-label.ts';

/** The managed instance group of a pool in one zone. */
export interface GroupName {
  readonly zone: string;
  readonly name: string;
}

/** The same with its VMs. */
export interface ZoneGroup extends GroupName {
  readonly targetSize: number;
  /** URLs of the target pools that it adds its VMs to. */
  readonly targetPools: readonly string[];
  readonly members: readonly compute_v1.Schema$ManagedInstance[];
}

/** A node pool with its managed instance groups, which are missing while it is new. */
export interface PoolObservation {
  readonly ref: PoolRef;
  readonly pool: NodePoolMessage;
  readonly groups: readonly ZoneGroup[];
}

/** The node pool, or undefined when the cluster has none of that name. @throws NodeferryError PoolNotFound when there is no such cluster */
export async function findNodePool(clients: GkeClients, ref: PoolRef): Promise<NodePoolMessage | undefined> {
  const name = poolName(clients.project, ref);
  try {
    return await readGke(clients, 'container.clusters.get', poolSubject(ref), (gke, options) =>
      gke.getNodePool({ name }, options),
    );
  } catch (error) {
    const isPool = /\/nodePools\//.test(readGoogleError((error as Error).cause).message);
    if (hasCode(error, 'PoolNotFound') && isPool) return undefined;
    throw error;
  }
}

/** The same for a node pool that must exist. @throws NodeferryError PoolNotFound */
export async function requireNodePool(clients: GkeClients, ref: PoolRef): Promise<NodePoolMessage> {
  const pool = await findNodePool(clients, ref);
  if (pool !== undefined) return pool;
  throw new NodeferryError({
    code: 'PoolNotFound',
    message: `${poolSubject(ref)} in ${ref.region}: there is no such node pool`,
    hint: 'Check the project, the location, the cluster name and the node pool name of the policy.',
  });
}

/** The node pool with its groups, or undefined when the cluster has none of that name. */
export async function findPool(clients: GkeClients, ref: PoolRef): Promise<PoolObservation | undefined> {
  const pool = await findNodePool(clients, ref);
  return pool === undefined ? undefined : await observePool(clients, ref, pool);
}

/** The same for a pool that must exist. @throws NodeferryError PoolNotFound */
export async function requirePool(clients: GkeClients, ref: PoolRef): Promise<PoolObservation> {
  return await observePool(clients, ref, await requireNodePool(clients, ref));
}

/** Adds the groups to what is known of a pool. */
export async function observePool(clients: GkeClients, ref: PoolRef, pool: NodePoolMessage): Promise<PoolObservation> {
  const groups = await Promise.all(groupNames(pool).map((name) => readGroup(clients, ref, name)));
  return { ref, pool, groups: groups.filter((group) => group !== undefined) };
}

/** Its groups by the URLs that GKE tells, whether they are there or not. */
export function groupNames({ instanceGroupUrls }: NodePoolMessage): GroupName[] {
  return (instanceGroupUrls ?? []).map((url) => {
    const [, zone = '', name = ''] = /zones\/([^/]+)\/instanceGroup(?:Manager)?s\/([^/]+)$/.exec(url) ?? [];
    return { zone, name };
  });
}

/** The group of that name; undefined for one that is gone, as in a pool that is being deleted. */
async function readGroup(clients: GkeClients, ref: PoolRef, { zone, name }: GroupName): Promise<ZoneGroup | undefined> {
  const at = { project: clients.project, zone, instanceGroupManager: name };
  const permission = 'compute.instanceGroupManagers.get';
  try {
    const group = await callCompute(clients, permission, poolSubject(ref), (compute) =>
      compute.instanceGroupManagers.get(at),
    );
    const members = await allPages(async (pageToken) => {
      const page = await callCompute(clients, permission, poolSubject(ref), (compute) =>
        compute.instanceGroupManagers.listManagedInstances({ ...at, ...(pageToken && { pageToken }) }),
      );
      return { items: page.managedInstances, next: page.nextPageToken };
    });
    return { zone, name, targetSize: group.targetSize ?? 0, targetPools: group.targetPools ?? [], members };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return readGoogleError((error as Error).cause).status === 404;
}

/** Errors of the group's attempts to create VMs, newest first: the first page has the latest. None of a group that is gone meanwhile. */
export async function readLaunchErrors(
  clients: GkeClients,
  ref: PoolRef,
  { zone, name }: ZoneGroup,
): Promise<readonly compute_v1.Schema$InstanceManagedByIgmError[]> {
  const at = { project: clients.project, zone, instanceGroupManager: name };
  try {
    const { items } = await callCompute(clients, 'compute.instanceGroupManagers.get', poolSubject(ref), (compute) =>
      compute.instanceGroupManagers.listErrors(at),
    );
    return items ?? [];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The cluster of a pool. @throws NodeferryError PoolNotFound */
export async function readCluster(clients: GkeClients, ref: PoolRef): Promise<protos.google.container.v1.ICluster> {
  const name = clusterName(clients.project, ref);
  return await readGke(clients, 'container.clusters.get', `cluster ${ref.cluster}`, (gke, options) =>
    gke.getCluster({ name }, options),
  );
}

/**
 * A VM by its name, in whichever group it is, in that zone or in any of the cluster's region; undefined when there is none. A page of a filtered list may
 * be empty though others follow.
 *
 * @throws NodeferryError ProviderUnavailable when it is not found, but a zone that may have it was not reached
 */
export async function findVm(
  clients: GkeClients,
  ref: PoolRef,
  name: string,
  zone: string | undefined,
): Promise<compute_v1.Schema$Instance | undefined> {
  const subject = `${poolSubject(ref)}: instance ${name}`;
  const { found, unreached } = await readScopes<compute_v1.Schema$InstancesScopedList>(
    zone === undefined ? isIn(ref) : (scope) => scope === `zones/${zone}`,
    async (page) => {
      const at = { project: clients.project, filter: `name = "${name}"`, ...page };
      return await callCompute(clients, 'compute.instances.list', subject, (compute) =>
        compute.instances.aggregatedList(at),
      );
    },
  );
  const vm = found.flatMap(({ instances = [] }) => instances)[0];
  if (vm === undefined) requireReached(subject, unreached);
  return vm;
}

/** Whether a scope is a zone of the region that a cluster is in: its location is that region, or one of its zones. */
function isIn({ region: location }: PoolRef): (scope: string) => boolean {
  const [region = location] = /^[a-z]+-[a-z]+\d+/.exec(location) ?? [];
  return (scope) => scope.startsWith(`zones/${region}-`);
}
