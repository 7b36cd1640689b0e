/** Plays the operator who makes load balancers for standalone network endpoint groups: their controller makes the groups and nothing else. */
import { auth, compute, type compute_v1 } from '@googleapis/compute';
import { CoreV1Api, type KubeConfig, type V1Service } from '@kubernetes/client-node';
import { isBalanced } from '../scenario.ts';
import { repeatEvery } from './repeat.ts';

const CHECK_EVERY_MS = 500;

/** Longer than a stream of the prober, s; Google's default is 0. */
const DRAINING_TIMEOUT_S = 30;

const ALREADY_EXISTS = 409;

/** Any token will do in the lab. */
const token = { access_token: 'lab', expiry_date: Number.MAX_SAFE_INTEGER };

/** Where the simulated Compute Engine listens, and where the load balancers are. */
interface GooglePlace {
  readonly computeUrl: string;
  readonly project: string;
  readonly region: string;
}

/** What ingress-gce writes into the annotation `cloud.google.com/neg-status` (pkg/negannotation/negannotation.go, NegStatus). */
interface NegStatus {
  readonly network_endpoint_groups: Readonly<Record<string, string>>;
  readonly zones: readonly string[];
}

/**
 * Makes a regional external proxy Network Load Balancer for each Service whose groups of pods its controller has made, until the returned function is
 * called. Its forwarding rule has the name of the Service. A call that fails is repeated. Groups in zones that come later are not added.
 */
export function makeProxies(config: KubeConfig, place: GooglePlace): () => void {
  const core = config.makeApiClient(CoreV1Api);
  const made = new Set<string>();
  return repeatEvery(CHECK_EVERY_MS, async () => {
    const { items } = await core.listServiceForAllNamespaces();
    for (const service of items) {
      const { name = '', annotations = {} } = service.metadata ?? {};
      const status = annotations['cloud.google.com/neg-status'];
      if (service.spec?.type === 'LoadBalancer' || !isBalanced(service) || status === undefined || made.has(name))
        continue;
      await makeProxy(place, service, JSON.parse(status) as NegStatus);
      made.add(name);
    }
  });
}

/** The path of the forwarding rule of a Service, below the project. */
export function proxyRule(region: string, service: string): string {
  return `regions/${region}/forwardingRules/${service}`;
}

async function makeProxy(
  { computeUrl, project, region }: GooglePlace,
  { metadata, spec }: V1Service,
  { network_endpoint_groups: groups, zones }: NegStatus,
): Promise<void> {
  const authClient = new auth.OAuth2();
  authClient.setCredentials(token);
  const gce = compute({ version: 'v1', auth: authClient, rootUrl: `${computeUrl}/` });
  const name = metadata?.name ?? '';
  const port = spec?.ports?.[0]?.port ?? 0;
  const at = { project, region };
  const link = (path: string) => `${computeUrl}/compute/v1/projects/${project}/${path}`;
  const here = (collection: string) => link(`regions/${region}/${collection}/${name}`);
  const finished = async (insert: Promise<{ readonly data: compute_v1.Schema$Operation }>) => {
    const operation = await insert.then(({ data }) => data.name ?? undefined).catch(passIfThere);
    if (operation !== undefined) await gce.regionOperations.wait({ ...at, operation });
  };
  const httpHealthCheck = { portSpecification: 'USE_SERVING_PORT', requestPath: '/readyz' };
  await finished(gce.regionHealthChecks.insert({ ...at, requestBody: { name, type: 'HTTP', httpHealthCheck } }));
  const service = {
    name,
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    protocol: 'TCP',
    connectionDraining: { drainingTimeoutSec: DRAINING_TIMEOUT_S },
    healthChecks: [here('healthChecks')],
    backends: zones.map((zone) => ({
      group: link(`zones/${zone}/networkEndpointGroups/${groups[port]}`),
      balancingMode: 'CONNECTION',
      maxConnectionsPerEndpoint: 1_000,
    })),
  };
  await finished(gce.regionBackendServices.insert({ ...at, requestBody: service }));
  const proxy = { name, service: here('backendServices') };
  await finished(gce.regionTargetTcpProxies.insert({ ...at, requestBody: proxy }));
  const rule = {
    name,
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    IPProtocol: 'TCP',
    portRange: `${port}-${port}`,
    target: here('targetTcpProxies'),
  };
  await finished(gce.forwardingRules.insert({ ...at, requestBody: rule }));
}

/** An earlier call has made it, and its answer was lost. */
function passIfThere(error: { readonly status?: number }): undefined {
  if (error.status !== ALREADY_EXISTS) throw error;
}
