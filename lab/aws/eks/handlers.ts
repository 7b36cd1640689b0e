import type {
  CreateNodegroupRequest,
  CreateNodegroupResponse,
  DeleteNodegroupRequest,
  DeleteNodegroupResponse,
  DescribeClusterRequest,
  DescribeClusterResponse,
  DescribeNodegroupRequest,
  DescribeNodegroupResponse,
  ListNodegroupsRequest,
  ListNodegroupsResponse,
} from '@aws-sdk/client-eks';
import { pageOf } from '../paging.ts';
import type { World } from '../world.ts';
import { describeCluster, describeNodegroup } from './describe.ts';
import { eksError } from './errors.ts';
import { createNodegroup, deleteNodegroup } from './nodegroups.ts';
import { specificationOf } from './specification.ts';
import type { Nodegroup } from './state.ts';

/** Refuses the name of any other cluster. */
function requireCluster(world: World, name: string | undefined): void {
  if (name === world.cluster.name) return;
  throw eksError('ResourceNotFoundException', `No cluster found for name: ${name}.`, { clusterName: name ?? '' });
}

/** The node group with that name; throws the error that EKS returns otherwise. */
export function requireNodegroup(world: World, cluster: string | undefined, name: string | undefined): Nodegroup {
  requireCluster(world, cluster);
  const nodegroup = world.nodegroups.get(name ?? '');
  if (nodegroup !== undefined) return nodegroup;
  throw eksError('ResourceNotFoundException', `No node group found for name: ${name}.`, {
    clusterName: cluster ?? '',
    nodegroupName: name ?? '',
  });
}

/** Managed node groups per cluster, default quota (EKS user guide, "Service quotas"). */
const MAX_NODEGROUPS = 30;

/** EKS node groups and the cluster. */
export function eksHandlers(world: World) {
  return {
    DescribeCluster(input: DescribeClusterRequest): DescribeClusterResponse {
      requireCluster(world, input.name);
      return { cluster: describeCluster(world) };
    },

    ListNodegroups(input: ListNodegroupsRequest): ListNodegroupsResponse {
      requireCluster(world, input.clusterName);
      const names = [...world.nodegroups.keys()].sort();
      const page = pageOf(names, input.nextToken, input.maxResults ?? 100, 'InvalidParameterException');
      return { nodegroups: [...page.items], nextToken: page.nextToken };
    },

    DescribeNodegroup(input: DescribeNodegroupRequest): DescribeNodegroupResponse {
      return { nodegroup: describeNodegroup(world, requireNodegroup(world, input.clusterName, input.nodegroupName)) };
    },

    /** The same token returns the same node group; another token with a name in use is refused (EKS API reference). */
    CreateNodegroup(input: CreateNodegroupRequest): CreateNodegroupResponse {
      requireCluster(world, input.clusterName);
      const name = input.nodegroupName ?? '';
      const existing = world.nodegroups.get(name);
      if (existing !== undefined) {
        if (existing.clientToken === input.clientRequestToken) return { nodegroup: describeNodegroup(world, existing) };
        throw eksError(
          'ResourceInUseException',
          `NodeGroup already exists with name ${name} and cluster name ${input.clusterName}`,
          {
            clusterName: world.cluster.name,
            nodegroupName: name,
          },
        );
      }
      if (world.nodegroups.size >= MAX_NODEGROUPS) {
        throw eksError('ResourceLimitExceededException', `NodeGroups per cluster limit of ${MAX_NODEGROUPS} reached`);
      }
      return { nodegroup: describeNodegroup(world, createNodegroup(world, specificationOf(world, input))) };
    },

    DeleteNodegroup(input: DeleteNodegroupRequest): DeleteNodegroupResponse {
      const nodegroup = requireNodegroup(world, input.clusterName, input.nodegroupName);
      deleteNodegroup(world, nodegroup);
      return { nodegroup: describeNodegroup(world, nodegroup) };
    },
  };
}
