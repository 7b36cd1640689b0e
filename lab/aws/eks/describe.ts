import type { AMITypes, CapacityTypes, Cluster, Nodegroup as NodegroupDescription, Update } from '@aws-sdk/client-eks';
import { ACCOUNT_ID, type World } from '../world.ts';
import type { Nodegroup, NodegroupUpdate } from './state.ts';

/** The cluster as DescribeCluster returns it. */
export function describeCluster(world: World): Cluster {
  const { cluster, network } = world;
  return {
    name: cluster.name,
    arn: cluster.arn,
    version: cluster.version,
    status: 'ACTIVE',
    endpoint: cluster.endpoint,
    createdAt: new Date(cluster.createdAt),
    platformVersion: 'eks.1',
    roleArn: `arn:aws:iam::${ACCOUNT_ID}:role/eks-cluster`,
    resourcesVpcConfig: {
      vpcId: network.vpcId,
      subnetIds: network.subnets.map((subnet) => subnet.id),
      clusterSecurityGroupId: [...network.securityGroups.keys()][0],
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: '10.96.0.0/16', ipFamily: 'ipv4' },
    health: { issues: [] },
    tags: Object.fromEntries(cluster.tags),
  };
}

/** A node group as DescribeNodegroup returns it. */
export function describeNodegroup(world: World, nodegroup: Nodegroup): NodegroupDescription {
  const { scaling, request } = nodegroup;
  return {
    nodegroupName: nodegroup.name,
    nodegroupArn: nodegroup.arn,
    clusterName: world.cluster.name,
    version: nodegroup.version,
    releaseVersion: nodegroup.releaseVersion,
    createdAt: new Date(nodegroup.createdAt),
    modifiedAt: new Date(nodegroup.modifiedAt),
    status: nodegroup.status,
    capacityType: request.capacityType as CapacityTypes,
    scalingConfig: { minSize: scaling.min, maxSize: scaling.max, desiredSize: scaling.desired },
    instanceTypes: [...request.instanceTypes],
    subnets: [...request.subnets],
    amiType: request.amiType as AMITypes,
    nodeRole: request.nodeRole,
    diskSize: request.diskSize,
    launchTemplate: request.launchTemplate,
    labels: Object.fromEntries(nodegroup.labels),
    taints: [...nodegroup.taints],
    resources:
      nodegroup.autoScalingGroup === undefined ? {} : { autoScalingGroups: [{ name: nodegroup.autoScalingGroup }] },
    health: { issues: nodegroup.issues.map((issue) => ({ ...issue, resourceIds: [...issue.resourceIds] })) },
    updateConfig: {
      maxUnavailable: nodegroup.maxUnavailable.count,
      maxUnavailablePercentage: nodegroup.maxUnavailable.percentage,
    },
    tags: Object.fromEntries(nodegroup.tags),
  };
}

/** An update as DescribeUpdate returns it. */
export function describeUpdate(update: NodegroupUpdate): Update {
  return {
    id: update.id,
    type: update.type,
    status: update.status,
    params: [...update.params],
    createdAt: new Date(update.createdAt),
    errors: [],
  };
}
