import type { protos } from '@google-cloud/container';
import { livingMembers, reconcile } from '../compute/groups.ts';
import { notFound, RpcError } from '../errors.ts';
import { later, type World } from '../world.ts';
import { createNodePool, nodeVersions, requireManagement } from './create.ts';
import { changeablePool, clusterOf, poolOf, requireModelled } from './lookup.ts';
import { refuseManaged } from './managed.ts';
import { describeOperation, startOperation } from './operations.ts';
import { describePool, groupsOf, recreateNodes, requireQuota, whenComplete, whenEmpty } from './pools.ts';
import type { Cluster, NodePool } from './state.ts';

type Api = typeof protos.google.container.v1;
type Request<Name extends keyof Api> = Api[Name] extends new (
  ...args: never
) => infer Message
  ? Partial<Message>
  : never;

/** Handlers of google.container.v1.ClusterManager by the names of its methods. Methods without one are UNIMPLEMENTED. */
export function gkeHandlers(world: World): Readonly<Record<string, (request: never) => object>> {
  const settings = (cluster: Cluster, pool: NodePool, type: string, apply: () => void) =>
    describeOperation(
      world,
      startOperation(world, cluster, {
        type,
        pool: pool.name,
        run: (done) => {
          apply();
          pool.revision += 1;
          later(world, world.delays.settingsMs, () => done());
        },
      }),
    );

  return {
    GetServerConfig: () => ({ validNodeVersions: [...nodeVersions], defaultClusterVersion: nodeVersions[0] }),

    GetCluster: ({ name }: Request<'GetClusterRequest'>) => {
      const cluster = clusterOf(world, name);
      return {
        name: cluster.name,
        location: cluster.location,
        locations: [...cluster.zones],
        status: 'RUNNING',
        currentMasterVersion: cluster.version,
        autopilot: { enabled: cluster.autopilot },
        releaseChannel: { channel: cluster.channel },
        maintenancePolicy: cluster.maintenance,
        nodePools: [...cluster.pools.values()].map((pool) => describePool(world, cluster, pool)),
      };
    },

    ListNodePools: ({ parent }: Request<'ListNodePoolsRequest'>) => {
      const cluster = clusterOf(world, parent);
      return { nodePools: [...cluster.pools.values()].map((pool) => describePool(world, cluster, pool)) };
    },

    GetNodePool: ({ name }: Request<'GetNodePoolRequest'>) => {
      const { cluster, pool } = poolOf(world, name);
      return describePool(world, cluster, pool);
    },

    CreateNodePool: (request: Request<'CreateNodePoolRequest'>) => createNodePool(world, request),

    DeleteNodePool: ({ name }: Request<'DeleteNodePoolRequest'>) => {
      const { cluster, pool } = changeablePool(world, name);
      const operation = startOperation(world, cluster, {
        type: 'DELETE_NODE_POOL',
        pool: pool.name,
        run: (done) => {
          for (const group of groupsOf(world, pool)) {
            group.targetSize = 0;
            reconcile(world, group);
          }
          later(world, world.delays.poolDeleteMs, () =>
            whenEmpty(world, pool, () => {
              cluster.pools.delete(pool.name);
              done();
            }),
          );
        },
      });
      pool.status = 'STOPPING';
      return describeOperation(world, operation);
    },

    SetNodePoolSize: (request: Request<'SetNodePoolSizeRequest'>) => {
      requireModelled('SetNodePoolSize', request, ['name', 'nodeCount']);
      const { cluster, pool } = changeablePool(world, request.name);
      const count = request.nodeCount ?? 0;
      const here = groupsOf(world, pool).reduce((sum, group) => sum + livingMembers(group).length, 0);
      requireQuota(world, Math.max(0, count * pool.zones.length - here));
      const operation = startOperation(world, cluster, {
        type: 'SET_NODE_POOL_SIZE',
        pool: pool.name,
        run: (done) => {
          pool.status = 'RECONCILING';
          for (const group of groupsOf(world, pool)) {
            group.targetSize = count;
            reconcile(world, group);
          }
          whenComplete(world, pool, done);
        },
      });
      return describeOperation(world, operation);
    },

    SetNodePoolAutoscaling: (request: Request<'SetNodePoolAutoscalingRequest'>) => {
      requireModelled('SetNodePoolAutoscaling', request, ['name', 'autoscaling']);
      const { cluster, pool } = changeablePool(world, request.name);
      return settings(cluster, pool, 'UPDATE_CLUSTER', () => {
        pool.spec = { ...pool.spec, autoscaling: request.autoscaling ?? {} };
      });
    },

    SetNodePoolManagement: (request: Request<'SetNodePoolManagementRequest'>) => {
      requireModelled('SetNodePoolManagement', request, ['name', 'management']);
      const { cluster, pool } = changeablePool(world, request.name);
      requireManagement(cluster, request.management);
      return settings(cluster, pool, 'SET_NODE_POOL_MANAGEMENT', () => {
        pool.spec = { ...pool.spec, management: request.management ?? {} };
      });
    },

    UpdateNodePool: (request: Request<'UpdateNodePoolRequest'>) => {
      requireModelled('UpdateNodePool', request, ['name', 'etag', 'labels', 'resourceLabels']);
      const { cluster, pool } = changeablePool(world, request.name);
      if (request.etag && request.etag !== String(pool.revision)) {
        throw new RpcError('ABORTED', 'The etag of the node pool does not match: it was changed meanwhile.');
      }
      refuseManaged({ labels: request.labels?.labels ?? {} });
      return settings(cluster, pool, 'UPDATE_CLUSTER', () => {
        const { labels, resourceLabels } = request;
        const config = {
          ...pool.spec.config,
          ...(labels && { labels: labels.labels ?? {} }),
          ...(resourceLabels && { resourceLabels: resourceLabels.labels ?? {} }),
        };
        pool.spec = { ...pool.spec, config };
        if (resourceLabels) recreateNodes(world, pool);
      });
    },

    SetMaintenancePolicy: (request: Request<'SetMaintenancePolicyRequest'>) => {
      requireModelled('SetMaintenancePolicy', request, ['name', 'maintenancePolicy', 'projectId', 'zone', 'clusterId']);
      const cluster = clusterOf(world, request.name);
      const { resourceVersion = '' } = cluster.maintenance;
      if ((request.maintenancePolicy?.resourceVersion ?? '') !== resourceVersion) {
        throw new RpcError('FAILED_PRECONDITION', 'resource_version of the maintenance policy does not match.');
      }
      const operation = startOperation(world, cluster, {
        type: 'UPDATE_CLUSTER',
        run: (done) => {
          const next = String(Number(resourceVersion) + 1);
          cluster.maintenance = { ...request.maintenancePolicy, resourceVersion: next };
          later(world, world.delays.settingsMs, () => done());
        },
      });
      return describeOperation(world, operation);
    },

    ListOperations: ({ parent }: Request<'ListOperationsRequest'>) => {
      const [, location] = /^projects\/[^/]+\/locations\/([^/]+)$/.exec(parent ?? '') ?? [];
      const all = [...world.gkeOperations.values()].filter((one) => location === '-' || one.location === location);
      return { operations: all.map((operation) => describeOperation(world, operation)) };
    },

    GetOperation: ({ name }: Request<'GetOperationRequest'>) => {
      const operation = world.gkeOperations.get(name?.split('/operations/')[1] ?? '');
      if (operation === undefined) throw notFound(name ?? '');
      return describeOperation(world, operation);
    },
  };
}
