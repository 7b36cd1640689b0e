/** Load balancers as the controllers of GKE make them, in a simulated Google. */
import { createGoogleLoadBalancers } from '../../../adapters/gcp/load-balancers/load-balancers.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { computeHandlers } from '../../../lab/gcp/compute/handlers.ts';
import { findRoute } from '../../../lab/gcp/compute/routes.ts';
import type { Instance } from '../../../lab/gcp/compute/state.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { type GkeBench, openBench } from './support.ts';

const region = 'europe-west1';

/** The adapter as it runs in production, with credentials from the metadata server. */
export function openBalancers({ gcp, cloudClock }: GkeBench): LoadBalancers {
  const clock = { now: () => cloudClock.now(), sleep: async (ms: number) => cloudClock.advance(ms) };
  const computeUrl = `${gcp.computeUrl}/`;
  return createGoogleLoadBalancers({ clock, project: 'lab-project', region, maxAttempts: 3, computeUrl });
}

/** A Service of type LoadBalancer with that address. */
export function serviceAt(address: string | undefined, change: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    key: 'default/web',
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    selector: { app: 'web' },
    healthCheckNodePort: 30_100,
    nodePorts: [30_080],
    hostnames: address === undefined ? [] : [address],
    publishNotReadyAddresses: false,
    endpoints: [],
    ...change,
  };
}

/** Calls of the controllers: they have permissions of their own, and nothing of theirs is in the log. */
export function openCompute({ gcp: { model, computeUrl } }: GkeBench) {
  const send = async (verb: string, path: string, body: Readonly<Record<string, unknown>> = {}) => {
    const route = findRoute(verb, path);
    const handle = computeHandlers(model)[route?.method ?? ''];
    if (route === undefined || handle === undefined) throw new Error(`no ${verb} ${path}`);
    return (await handle({ path: route.parts, query: new URLSearchParams(), body })) as Record<string, unknown>;
  };
  const url = (path: string) => `${computeUrl}/compute/v1/projects/${model.project}/${path}`;
  const vms = [...model.instances.values()].filter(({ name }) => name.includes('-web-'));
  return { send, url, vms, inZone: (zone: string) => vms.filter((vm) => vm.zone === zone) };
}

export type Compute = ReturnType<typeof openCompute>;

/** A bench with load balancers, those who make them, and the adapter that reads them. */
interface BalancerBench {
  readonly bench: GkeBench;
  readonly balancers: LoadBalancers;
  readonly compute: Compute;
}

/** Opens one, anew for each test; `permissions`: what the adapter may do, all that it needs unless given. */
export async function openBalancerBench(permissions?: readonly string[]): Promise<BalancerBench> {
  const bench = await openBench({}, permissions);
  return { bench, balancers: openBalancers(bench), compute: openCompute(bench) };
}

/** What is different about a load balancer. */
interface BalancerChange {
  /** Default `web`, and so is its Service. */
  readonly name?: string;
  /** Default both of the region. */
  readonly zones?: readonly string[];
  /** Of the backend service. */
  readonly fields?: Readonly<Record<string, unknown>> & { readonly name?: string };
  /** Where its health check is. Default the region. */
  readonly checkScope?: 'global';
}

const bothZones = ['europe-west1-b', 'europe-west1-c'];

/** Creates the forwarding rule, and returns its address. */
async function lead({ send }: Compute, name: string, to: Readonly<Record<string, unknown>>): Promise<string> {
  const rules = `regions/${region}/forwardingRules`;
  await send('POST', rules, { name, loadBalancingScheme: 'EXTERNAL', ...to });
  return String((await send('GET', `${rules}/${name}`))['IPAddress']);
}

/** A target pool of all VMs of the pool `web`, as the cloud controller manager makes it. */
export async function makeTargetPool(compute: Compute, { name = 'web' }: BalancerChange = {}): Promise<string> {
  const { send, url, vms } = compute;
  const description = JSON.stringify({ 'kubernetes.io/service-name': `default/${name}` });
  const check = { checkIntervalSec: 8, timeoutSec: 1, healthyThreshold: 1, unhealthyThreshold: 3, port: 30_100 };
  await send('POST', 'global/httpHealthChecks', { name, requestPath: '/healthz', ...check });
  await send('POST', `regions/${region}/targetPools`, {
    name,
    description,
    healthChecks: [url(`global/httpHealthChecks/${name}`)],
    instances: vms.map((vm) => `/zones/${vm.zone}/instances/${vm.name}`),
  });
  return await lead(compute, name, { description, target: url(`regions/${region}/targetPools/${name}`) });
}

/** A backend service with a group of nodes in each zone, as ingress-gce makes it. */
export async function makeNodeGroups(compute: Compute, change: BalancerChange = {}): Promise<string> {
  const { send, inZone } = compute;
  const { name = 'web', zones = bothZones, fields } = change;
  for (const zone of zones) {
    const groups = `zones/${zone}/networkEndpointGroups`;
    await send('POST', groups, { name, networkEndpointType: 'GCE_VM_IP' });
    await send('POST', `${groups}/${name}/attachNetworkEndpoints`, { networkEndpoints: inZone(zone).map(endpoint) });
  }
  return await makeBackendService(compute, 'networkEndpointGroups', {
    ...change,
    fields: {
      description: JSON.stringify({
        'networking.gke.io/service-name': `default/${name}`,
        'networking.gke.io/api-version': 'ga',
      }),
      connectionDraining: { drainingTimeoutSec: 30 },
      ...fields,
    },
  });
}

/** A pod on each VM, as a group of pods names it. */
export const podEndpoint = ({ name, ip }: Instance) => ({
  instance: name,
  ipAddress: ip.replace(/^10\./, '100.'),
  port: 8_080,
});

/**
 * Groups of pods with one pod on each VM, behind a backend service in front of several regions, as ingress-gce makes them for a Service that an Ingress
 * names; `web` without a change. Returns such a Service.
 */
export async function makePodGroups(compute: Compute, change: BalancerChange = {}): Promise<ServiceFacts> {
  const { send, inZone } = compute;
  const { name = 'web', zones = bothZones, fields } = change;
  for (const zone of zones) {
    const groups = `zones/${zone}/networkEndpointGroups`;
    await send('POST', groups, { name, networkEndpointType: 'GCE_VM_IP_PORT' });
    await send('POST', `${groups}/${name}/attachNetworkEndpoints`, { networkEndpoints: inZone(zone).map(podEndpoint) });
  }
  await leadToPods(compute, { ...change, fields: { connectionDraining: { drainingTimeoutSec: 45 }, ...fields } });
  const podGroups = { names: [name], zones, zonesNeedCandidate: true };
  return serviceAt(undefined, { key: `default/${name}`, type: 'ClusterIP', podGroups });
}

/** One more backend service with the groups of that name. */
export async function leadToPods(
  { send, url }: Compute,
  { name = 'web', zones = bothZones, fields }: BalancerChange,
): Promise<void> {
  await send('POST', 'global/healthChecks', { name: `check-${fields?.name ?? name}`, type: 'HTTP' });
  await send('POST', 'global/backendServices', {
    name,
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    healthChecks: [url(`global/healthChecks/check-${fields?.name ?? name}`)],
    backends: zones.map((zone) => ({
      group: url(`zones/${zone}/networkEndpointGroups/${name}`),
      balancingMode: 'RATE',
    })),
    ...fields,
  });
}

/** A backend service with an instance group in each zone, as the cloud controller manager makes it without subsetting. */
export async function makeInstanceGroups(compute: Compute, change: BalancerChange = {}): Promise<string> {
  const { send, url, inZone } = compute;
  const { name = 'web', zones = bothZones } = change;
  for (const zone of zones) {
    await send('POST', `zones/${zone}/instanceGroups`, { name });
    const instances = inZone(zone).map((vm) => ({ instance: url(`zones/${zone}/instances/${vm.name}`) }));
    await send('POST', `zones/${zone}/instanceGroups/${name}/addInstances`, { instances });
  }
  const description = JSON.stringify({ 'kubernetes.io/service-name': `default/${name}` });
  return await makeBackendService(compute, 'instanceGroups', { ...change, fields: { description, ...change.fields } });
}

/** The same as ingress-gce made it before it had groups of nodes. */
export async function makeIngressInstanceGroups(compute: Compute, change: BalancerChange = {}): Promise<string> {
  const description = JSON.stringify({ 'networking.gke.io/service-name': `default/${change.name ?? 'web'}` });
  return await makeInstanceGroups(compute, { ...change, fields: { description, ...change.fields } });
}

async function makeBackendService(compute: Compute, collection: string, change: BalancerChange): Promise<string> {
  const { send, url } = compute;
  const { name = 'web', zones = bothZones, fields, checkScope = `regions/${region}` } = change;
  const check = { checkIntervalSec: 3, timeoutSec: 1, healthyThreshold: 1, unhealthyThreshold: 2, type: 'HTTP' };
  const httpHealthCheck = { port: 30_100, requestPath: '/healthz' };
  await send('POST', `${checkScope}/healthChecks`, { name, ...check, httpHealthCheck });
  await send('POST', `regions/${region}/backendServices`, {
    name,
    loadBalancingScheme: 'EXTERNAL',
    healthChecks: [url(`${checkScope}/healthChecks/${name}`)],
    backends: zones.map((zone) => ({ group: url(`zones/${zone}/${collection}/${name}`), balancingMode: 'CONNECTION' })),
    ...fields,
  });
  const backendService = url(`regions/${region}/backendServices/${name}`);
  return await lead(compute, name, { description: fields?.['description'], backendService });
}

/** A VM as a group of nodes names it. */
export function endpoint({ name, ip }: Instance) {
  return { instance: name, ipAddress: ip };
}
