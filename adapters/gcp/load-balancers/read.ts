import type { compute_v1 } from '@googleapis/compute';
import { NodeferryError } from '../../../core/model/problem.ts';
import { readScopes, requireReached } from '../aggregated.ts';
import { allPages, type ComputeClient, callCompute } from '../compute-client.ts';
import { readGoogleError } from '../read-error.ts';
import { nameIn, parsePath, zoneIn } from './paths.ts';

/** What reads are made with. */
export interface BalancerReader {
  readonly client: ComputeClient;
  readonly region: string;
}

/** All forwarding rules of the region. Those of load balancers in front of several regions are not among them: no Service has one. */
export async function listForwardingRules({
  client,
  region,
}: BalancerReader): Promise<compute_v1.Schema$ForwardingRule[]> {
  return await allPages(async (pageToken) => {
    const at = { project: client.project, region, ...(pageToken && { pageToken }) };
    const page = await callCompute(client, 'compute.forwardingRules.list', 'forwarding rules', (compute) =>
      compute.forwardingRules.list(at),
    );
    return { items: page.items, next: page.nextPageToken };
  });
}

/** The zones of the region. */
export async function listZones({ client, region }: BalancerReader): Promise<readonly string[]> {
  const found = await callCompute(client, 'compute.regions.get', `region ${region}`, (compute) =>
    compute.regions.get({ project: client.project, region }),
  );
  return (found.zones ?? []).map(nameIn).toSorted();
}

/** The backend service with that path. @throws NodeferryError Conflict when it is gone */
export async function readBackendService(
  { client, region }: BalancerReader,
  path: string,
): Promise<compute_v1.Schema$BackendService> {
  const at = { project: client.project, backendService: nameIn(path) };
  return await requireThere(`backend service ${nameIn(path)}`, async (subject) =>
    isGlobal(path)
      ? await callCompute(client, 'compute.backendServices.get', subject, (compute) => compute.backendServices.get(at))
      : await callCompute(client, 'compute.regionBackendServices.get', subject, (compute) =>
          compute.regionBackendServices.get({ ...at, region }),
        ),
  );
}

/**
 * The backend services of the region, and those in front of several. Others have no backends in it (load balancing documentation, "Backend services
 * overview"). @throws NodeferryError ProviderUnavailable when some were not reached: a Service behind one of them would seem to have no load balancer
 */
export async function listBackendServices({
  client,
  region,
}: BalancerReader): Promise<compute_v1.Schema$BackendService[]> {
  const subject = 'backend services';
  const { found, unreached } = await readScopes<compute_v1.Schema$BackendServicesScopedList>(
    (scope) => scope === 'global' || scope === `regions/${region}`,
    async (page) =>
      await callCompute(client, 'compute.backendServices.list', subject, (compute) =>
        compute.backendServices.aggregatedList({ project: client.project, ...page }),
      ),
  );
  requireReached(subject, unreached);
  return found.flatMap(({ backendServices = [] }) => backendServices);
}

/** The target pool of that name. @throws NodeferryError Conflict when it is gone */
export async function readTargetPool(
  { client, region }: BalancerReader,
  name: string,
): Promise<compute_v1.Schema$TargetPool> {
  return await requireThere(
    `target pool ${name}`,
    async (subject) =>
      await callCompute(client, 'compute.targetPools.get', subject, (compute) =>
        compute.targetPools.get({ project: client.project, region, targetPool: name }),
      ),
  );
}

/**
 * The first of the health checks, as the newest of their kinds describes it; undefined when there is none.
 *
 * @throws NodeferryError Conflict when it is gone
 */
export async function readHealthCheck(
  { client, region }: BalancerReader,
  urls: readonly string[] | null | undefined,
): Promise<compute_v1.Schema$HealthCheck | undefined> {
  const path = parsePath(urls?.[0]);
  const [name, project] = [nameIn(path), client.project];
  if (path === '') return undefined;
  return await requireThere(`health check ${name}`, async (subject) => {
    if (path.includes('/httpHealthChecks/')) {
      const { port, ...check } = await callCompute(client, 'compute.httpHealthChecks.get', subject, (compute) =>
        compute.httpHealthChecks.get({ project, httpHealthCheck: name }),
      );
      return { ...check, type: 'HTTP', httpHealthCheck: { port: port ?? null } };
    }
    if (path.startsWith('regions/')) {
      return await callCompute(client, 'compute.regionHealthChecks.get', subject, (compute) =>
        compute.regionHealthChecks.get({ project, region, healthCheck: name }),
      );
    }
    return await callCompute(client, 'compute.healthChecks.get', subject, (compute) =>
      compute.healthChecks.get({ project, healthCheck: name }),
    );
  });
}

/** The endpoints of a zonal network endpoint group, with their health. */
export async function listEndpoints(
  { client }: BalancerReader,
  group: string,
): Promise<compute_v1.Schema$NetworkEndpointWithHealthStatus[]> {
  const subject = `network endpoint group ${nameIn(group)} of ${zoneIn(group)}`;
  const at = { project: client.project, zone: zoneIn(group) ?? '', networkEndpointGroup: nameIn(group) };
  return await requireThere(
    subject,
    async () =>
      await allPages(async (pageToken) => {
        const call = { ...at, requestBody: { healthStatus: 'SHOW' }, ...(pageToken && { pageToken }) };
        const page = await callCompute(client, 'compute.networkEndpointGroups.list', subject, (compute) =>
          compute.networkEndpointGroups.listNetworkEndpoints(call),
        );
        return { items: page.items, next: page.nextPageToken };
      }),
  );
}

/** URLs of the VMs of an instance group. */
export async function listInstances({ client }: BalancerReader, group: string): Promise<readonly string[]> {
  const subject = `instance group ${nameIn(group)} of ${zoneIn(group)}`;
  const at = { project: client.project, zone: zoneIn(group) ?? '', instanceGroup: nameIn(group) };
  const found = await requireThere(
    subject,
    async () =>
      await allPages(async (pageToken) => {
        const call = { ...at, requestBody: { instanceState: 'ALL' }, ...(pageToken && { pageToken }) };
        const page = await callCompute(client, 'compute.instanceGroups.list', subject, (compute) =>
          compute.instanceGroups.listInstances(call),
        );
        return { items: page.items, next: page.nextPageToken };
      }),
  );
  return found.map(({ instance }) => instance ?? '');
}

/** Health of the VMs of one of the groups of the backend service with that path. */
export async function readGroupHealth(
  { client, region }: BalancerReader,
  path: string,
  group: string,
): Promise<readonly compute_v1.Schema$HealthStatus[]> {
  const at = { project: client.project, backendService: nameIn(path), requestBody: { group } };
  const answer = await requireThere(`backend service ${nameIn(path)}`, async (subject) =>
    isGlobal(path)
      ? await callCompute(client, 'compute.backendServices.get', subject, (compute) =>
          compute.backendServices.getHealth(at),
        )
      : await callCompute(client, 'compute.regionBackendServices.get', subject, (compute) =>
          compute.regionBackendServices.getHealth({ ...at, region }),
        ),
  );
  return answer.healthStatus ?? [];
}

/**
 * Health of one VM of a target pool, once for each of its forwarding rules: none for one that is off, which is a member all the same (fog/fog-google
 * issue 41). Undefined for one that has left the pool meanwhile, and for one that is gone: a pool may name it for long (spinnaker/spinnaker issue 1570).
 *
 * @throws NodeferryError Conflict when the pool is gone
 */
export async function readInstanceHealth(
  { client, region }: BalancerReader,
  name: string,
  instance: string,
): Promise<readonly compute_v1.Schema$HealthStatus[] | undefined> {
  const at = { project: client.project, region, targetPool: name, requestBody: { instance } };
  return await requireThere(`target pool ${name}`, async (subject) => {
    try {
      const answer = await callCompute(client, 'compute.targetPools.get', subject, (compute) =>
        compute.targetPools.getHealth(at),
      );
      return answer.healthStatus ?? [];
    } catch (error) {
      const { status, reason, message } = readGoogleError((error as Error).cause);
      if (reason === 'resourceNotReady') return [];
      if (status === 400 || (status === 404 && /\/instances\//.test(message))) return undefined;
      throw error;
    }
  });
}

/** In front of several regions, and so in none. */
function isGlobal(path: string): boolean {
  return path.startsWith('global/');
}

/** What was found a moment ago and is gone now is a Conflict: discovering again tells what has taken its place. */
async function requireThere<T>(subject: string, read: (subject: string) => Promise<T>): Promise<T> {
  try {
    return await read(subject);
  } catch (error) {
    if (readGoogleError((error as Error).cause).status !== 404) throw error;
    throw new NodeferryError(
      {
        code: 'Conflict',
        message: `${subject} was deleted while it was being watched`,
        hint: 'Its Service was probably deleted or changed; what is behind Services now is found anew.',
      },
      { cause: error },
    );
  }
}
