import type { protos } from '@google-cloud/container';
import { RpcError } from '../errors.ts';
import type { World } from '../world.ts';
import { clusterOf, requireModelled, requireStandard } from './lookup.ts';
import { refuseManaged } from './managed.ts';
import { describeOperation, startOperation } from './operations.ts';
import { addGroups, addPool, requireQuota, whenComplete } from './pools.ts';
import type { Cluster } from './state.ts';

type NodePoolMessage = protos.google.container.v1.INodePool;

/** Versions of nodes that GKE offers here, newest first. */
export const nodeVersions = ['1.36.3-gke.1000', '1.35.9-gke.2000', '1.35.8-gke.1000'] as const;

/** ClusterManager.CreateNodePool. */
export function createNodePool(world: World, request: protos.google.container.v1.ICreateNodePoolRequest) {
  requireModelled('CreateNodePool', request, ['parent', 'nodePool']);
  const cluster = clusterOf(world, request.parent);
  requireStandard(cluster);
  const wanted = request.nodePool ?? {};
  const name = wanted.name ?? '';
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)) {
    throw new RpcError('INVALID_ARGUMENT', `Invalid value for field "node_pool.name": "${name}".`);
  }
  const full = `${request.parent}/nodePools/${name}`;
  if (cluster.pools.has(name)) throw new RpcError('ALREADY_EXISTS', `Already exists: ${full}.`);
  requireManagement(cluster, wanted.management);
  refuseManaged(wanted.config ?? {});
  const version = resolveVersion(cluster, wanted.version);
  const zones = wanted.locations?.length ? wanted.locations : cluster.zones;
  requireQuota(world, (wanted.initialNodeCount ?? 0) * zones.length);
  const operation = startOperation(world, cluster, {
    type: 'CREATE_NODE_POOL',
    pool: name,
    run: (done) => {
      addGroups(world, cluster, pool);
      whenComplete(world, pool, done);
    },
  });
  const pool = addPool(cluster, { ...wanted, version });
  return describeOperation(world, operation);
}

/**
 * "In a release channel" both must be on. The text: terraform-google-modules/terraform-google-kubernetes-engine pull request 682 and
 * kaiwaehner/hivemq-mqtt-tensorflow-kafka issue 47.
 */
export function requireManagement(cluster: Cluster, management: NodePoolMessage['management']): void {
  if (cluster.channel === 'UNSPECIFIED' || management === null || management === undefined) return;
  const off = [...(management.autoUpgrade ? [] : ['Auto_upgrade']), ...(management.autoRepair ? [] : ['auto_repair'])];
  if (off.length === 0) return;
  throw new RpcError(
    'INVALID_ARGUMENT',
    `${off.join(' and ')} cannot be false when release_channel ${cluster.channel} is set.`,
  );
}

/**
 * "1.X" means the newest 1.X that is valid, nothing the version of the control plane (API reference, UpdateNodePoolRequest.nodeVersion). Only minor versions
 * are compared (hashicorp/terraform-provider-google issue 6405; rancher/rancher issue 32143).
 */
function resolveVersion(cluster: Cluster, wanted: string | null | undefined): string {
  if (wanted === undefined || wanted === null || wanted === '' || wanted === '-') return cluster.version;
  const found = nodeVersions.find(
    (version) => version === wanted || version.startsWith(`${wanted}.`) || version.startsWith(`${wanted}-`),
  );
  if (found === undefined) throw new RpcError('INVALID_ARGUMENT', `Version "${wanted}" is invalid.`);
  if (minorOf(found) > minorOf(cluster.version)) {
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Node version "${found}" must not have a greater minor version than master version "${cluster.version}".`,
    );
  }
  return found;
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}
