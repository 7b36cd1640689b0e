import { authClientOf, type GcpOptions } from '../gcp/options.ts';
import { callRepeatedly } from '../gcp/retry.ts';

/** What a worker needs on the project, as in deploy/iam/gke-role.yaml. */
export const neededPermissions: readonly string[] = [
  'compute.backendServices.get',
  'compute.backendServices.list',
  'compute.forwardingRules.list',
  'compute.healthChecks.get',
  'compute.httpHealthChecks.get',
  'compute.instanceGroupManagers.get',
  'compute.instanceGroupManagers.update',
  'compute.instanceGroups.list',
  'compute.instances.list',
  'compute.networkEndpointGroups.list',
  'compute.regionBackendServices.get',
  'compute.regionHealthChecks.get',
  'compute.regions.get',
  'compute.targetPools.get',
  'compute.zoneOperations.get',
  'compute.zoneOperations.list',
  'container.clusters.get',
  'container.clusters.list',
  'container.clusters.update',
  'container.operations.get',
  'container.operations.list',
];

const googles = 'https://cloudresourcemanager.googleapis.com/';

/**
 * What a worker needs and the caller lacks. Asking takes no permission, and the API has to be enabled in the project (Resource Manager API reference,
 * projects.testIamPermissions). @throws NodeferryError when Google does not answer that
 */
export async function findMissingPermissions(options: GcpOptions): Promise<readonly string[]> {
  const { clock, project, maxAttempts = 2, callTimeoutMs: timeout = 5_000, resourceManagerUrl = googles } = options;
  const auth = await authClientOf(options);
  const call = { permission: 'testIamPermissions', subject: `project ${project}` };
  const { data } = await callRepeatedly({ clock, maxAttempts }, call, async () => {
    const url = `${resourceManagerUrl}v1/projects/${project}:testIamPermissions`;
    return await auth.request<{ permissions?: readonly string[] }>({
      url,
      method: 'POST',
      data: { permissions: neededPermissions },
      retry: false,
      timeout,
    });
  });
  return neededPermissions.filter((permission) => data.permissions?.includes(permission) !== true);
}
