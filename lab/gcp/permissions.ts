/**
 * The IAM permission that allows each method (GKE documentation, "API permissions"; the reference page of each method of Compute Engine). Google's
 * table names none for GetServerConfig: that it belongs to listing clusters is an assumption.
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
  'instances.get': 'compute.instances.get',
  'instances.delete': 'compute.instances.delete',
  'instances.aggregatedList': 'compute.instances.list',
  'zoneOperations.get': 'compute.zoneOperations.get',
};

/** The permission that a method needs; its own name for one without a model. */
export function permissionOf(method: string): string {
  return permissions[method] ?? method;
}
