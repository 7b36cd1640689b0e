import type { protos } from '@google-cloud/container';
import { randomHex } from '../../aws/random.ts';
import { addGroup, deleteInstance, instanceOf, isComplete, livingMembers, reconcile } from '../compute/groups.ts';
import type { InstanceGroup } from '../compute/state.ts';
import { RpcError } from '../errors.ts';
import { later, type World } from '../world.ts';
import { withManaged } from './managed.ts';
import { nodeIdentity } from './node-identity.ts';
import type { Cluster, GkeOperation, NodePool } from './state.ts';

type NodePoolMessage = protos.google.container.v1.INodePool;

/** The managed instance groups of a pool. */
export function groupsOf(world: World, pool: NodePool): InstanceGroup[] {
  return pool.groups.flatMap((key) => world.groups.get(key) ?? []);
}

/** Adds a pool that has no groups yet. */
export function addPool(cluster: Cluster, spec: NodePoolMessage): NodePool {
  const pool: NodePool = {
    name: spec.name ?? '',
    spec: { management: { autoUpgrade: true, autoRepair: true }, ...spec },
    zones: spec.locations?.length ? spec.locations : cluster.zones,
    status: 'PROVISIONING',
    conditions: [],
    groups: [],
    revision: 1,
  };
  cluster.pools.set(pool.name, pool);
  return pool;
}

/** Gives the pool its groups, each with `initialNodeCount` VMs: the count is per zone (API reference, NodePool.initialNodeCount). */
export function addGroups(world: World, cluster: Cluster, pool: NodePool, bootMs?: number): void {
  const prefix = `gke-${cluster.name}-${pool.name}-${randomHex(world.random, 8)}`;
  const machineType = pool.spec.config?.machineType ?? 'e2-medium';
  for (const zone of pool.zones) {
    const group = addGroup(world, prefix, { zone, machineType, node: nodeIdentity(pool) });
    group.targetSize = pool.spec.initialNodeCount ?? 0;
    pool.groups.push(`${zone}/${group.name}`);
  }
  for (const group of groupsOf(world, pool)) reconcile(world, group, bootMs);
}

function onChangeOf(world: World, pool: NodePool, check: () => void): void {
  world.groupListeners.push((group) => {
    if (pool.groups.includes(`${group.zone}/${group.name}`)) check();
  });
}

/**
 * Recreates all VMs of a pool, as a new resource label does (`gcloud container node-pools update --help`, `--labels`: "Updating this label will causes
 * the node(s) to be recreated"). GKE takes them in turns, as the pool's upgrade settings say; here all go at once.
 */
export function recreateNodes(world: World, pool: NodePool): void {
  for (const group of groupsOf(world, pool)) {
    for (const member of livingMembers(group)) {
      const instance = instanceOf(world, group, member);
      if (instance !== undefined) deleteInstance(world, instance);
    }
  }
}

/** Ends a creation or an enlargement when all VMs run, or with an error when its time is over. */
export function whenComplete(world: World, pool: NodePool, done: (error?: GkeOperation['error']) => void): void {
  let ended = false;
  const check = () => {
    if (ended || !groupsOf(world, pool).every((group) => isComplete(world, group))) return;
    ended = true;
    pool.status = 'RUNNING';
    pool.conditions = [];
    done();
  };
  onChangeOf(world, pool, check);
  later(world, world.delays.poolCreateTimeoutMs, () => {
    if (ended) return;
    ended = true;
    const [error] = groupsOf(world, pool).flatMap(({ errors }) => errors);
    const running = groupsOf(world, pool)
      .flatMap(livingMembers)
      .some(({ action }) => action === 'NONE');
    pool.status = running ? 'RUNNING_WITH_ERROR' : 'ERROR';
    const message = `Google Compute Engine: ${error?.message ?? 'Not all instances running in IGM.'}`;
    // rancher/gke-operator issue 509 and m-lab/etl issue 798 show such conditions.
    pool.conditions = [
      { code: error === undefined ? 'UNKNOWN' : 'GCE_STOCKOUT', canonicalCode: 'RESOURCE_EXHAUSTED', message },
    ];
    done({ code: 8, message: `[${pool.conditions[0]?.code}]: ${message}` });
  });
  check();
}

/**
 * Ends a deletion when the groups have gone with all their VMs: unlike a deletion of single instances, that of a group is nowhere said to be over while
 * VMs are still being deleted (Compute Engine API reference, instanceGroupManagers.delete and deleteInstances).
 */
export function whenEmpty(world: World, pool: NodePool, done: () => void): void {
  let ended = false;
  const check = () => {
    if (ended || groupsOf(world, pool).some(({ members }) => members.size > 0)) return;
    ended = true;
    for (const key of pool.groups) world.groups.delete(key);
    done();
  };
  onChangeOf(world, pool, check);
  check();
}

/**
 * Refuses a pool that the quota of the region does not allow; two CPUs for each VM (the text is that of hashicorp/terraform-provider-google issue
 * 10366).
 */
export function requireQuota(world: World, nodes: number): void {
  const { quota } = world.faults;
  const cpus = nodes * 2;
  if (quota === undefined || cpus <= quota) return;
  throw new RpcError(
    'PERMISSION_DENIED',
    `Insufficient regional quota to satisfy request: resource "CPUS": request requires '${cpus}.0' and is short '${cpus - quota}.0'. project has a quota of '${quota}.0' with '${quota}.0' available. View and manage quotas at https://console.cloud.google.com/iam-admin/quotas?usage=USED&project=${world.project}.`,
  );
}

/** The pool as the API returns it. */
export function describePool(world: World, cluster: Cluster, pool: NodePool): NodePoolMessage {
  const parent = `projects/${world.project}/locations/${cluster.location}/clusters/${cluster.name}`;
  const groups = pool.groups.map((key) => {
    const [zone, name] = key.split('/');
    return `https://www.googleapis.com/compute/v1/projects/${world.project}/zones/${zone}/instanceGroupManagers/${name}`;
  });
  return {
    ...pool.spec,
    ...(pool.spec.config && { config: withManaged(pool.spec.config) }),
    locations: [...pool.zones],
    status: pool.status,
    conditions: pool.conditions as NonNullable<NodePoolMessage['conditions']>,
    etag: String(pool.revision),
    selfLink: `https://container.googleapis.com/v1/${parent}/nodePools/${pool.name}`,
    instanceGroupUrls: groups,
    podIpv4CidrSize: 24,
    maxPodsConstraint: { maxPodsPerNode: '110', ...pool.spec.maxPodsConstraint },
  };
}
