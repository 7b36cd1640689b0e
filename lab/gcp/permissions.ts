/**
 * The IAM permission that allows each method (GKE documentation, "API permissions"; the reference page of each method of Compute Engine). Google's
 * table names none for GetServerConfig: that it belongs to listing clusters is an assumption, and so is that the health of members belongs to reading
 * what has them, and the members of a group to listing groups.
 */
const permissions: Readonly<Record<string, string>> = {
  GetServerConfig: 'container.clusters.list',
  GetCluster: 'container.clusters.get',
  GetNodePool: 'container.clusters.get',
  ListNodePools: 'container.clusters.get',
  CreateNodePool: 'container.clusters.update',
  DeleteNodePool: 'container.clusters.update',
  UpdateNodePool: 'container.clusters.update',
  SetNodePoolSize: 'container.clusters.update',
  SetNodePoolAutoscaling: 'container.clusters.update',
  SetNodePoolManagement: 'container.clusters.update',
  SetMaintenancePolicy: 'container.clusters.update',
  GetOperation: 'container.operations.get',
  ListOperations: 'container.operations.list',
  'instanceGroupManagers.get': 'compute.instanceGroupManagers.get',
  'instanceGroupManagers.listManagedInstances': 'compute.instanceGroupManagers.get',
  'instanceGroupManagers.listErrors': 'compute.instanceGroupManagers.get',
  'instanceGroupManagers.deleteInstances': 'compute.instanceGroupManagers.update',
  'instanceGroupManagers.resize': 'compute.instanceGroupManagers.update',
  'instances.get': 'compute.instances.get',
  'instances.delete': 'compute.instances.delete',
  'instances.aggregatedList': 'compute.instances.list',
  'zoneOperations.get': 'compute.zoneOperations.get',
  'zoneOperations.list': 'compute.zoneOperations.list',
  'regions.get': 'compute.regions.get',
  'forwardingRules.list': 'compute.forwardingRules.list',
  'targetPools.get': 'compute.targetPools.get',
  'targetPools.getHealth': 'compute.targetPools.get',
  'backendServices.aggregatedList': 'compute.backendServices.list',
  'backendServices.get': 'compute.backendServices.get',
  'backendServices.getHealth': 'compute.backendServices.get',
  'regionBackendServices.get': 'compute.regionBackendServices.get',
  'regionBackendServices.getHealth': 'compute.regionBackendServices.get',
  'healthChecks.get': 'compute.healthChecks.get',
  'regionHealthChecks.get': 'compute.regionHealthChecks.get',
  'httpHealthChecks.get': 'compute.httpHealthChecks.get',
  'instanceGroups.listInstances': 'compute.instanceGroups.list',
  'networkEndpointGroups.listNetworkEndpoints': 'compute.networkEndpointGroups.list',
};

/** The method of Resource Manager that tells which of some permissions the caller has. It needs none itself (Resource Manager API reference). */
export const testIamPermissions = 'projects.testIamPermissions';

/** The permission that a method needs; its own name for one without a model. */
export function permissionOf(method: string): string {
  return permissions[method] ?? method;
}
