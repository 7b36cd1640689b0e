/** Determines when a lab is ready: nodes, pods, load balancers, and real requests through them. */
import {
  AppsV1Api,
  CoreV1Api,
  DiscoveryV1Api,
  type KubeConfig,
  type V1EndpointSlice,
  type V1Node,
} from '@kubernetes/client-node';
import { NAMESPACES } from '../network-plan.ts';
import { attempt } from '../process.ts';
import { isBalanced } from '../scenario.ts';
import type { LabCloud, LoadBalancedService } from './cloud.ts';

/** Set by the kubelet, removed by the cloud controller manager once it has set the zone labels. */
const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** What is not ready yet, as text; empty when everything is. */
export type Missing = readonly string[];

/** The nodes that do not accept pods yet. */
export async function missingNodes(config: KubeConfig, expected: number): Promise<Missing> {
  const { items } = await config.makeApiClient(CoreV1Api).listNode();
  const ready = items.filter(takesPods).length;
  return ready >= expected ? [] : [`nodes: ${ready} of ${expected} ready`];
}

/** The workloads that do not have all of their pods ready. */
export async function missingPods(config: KubeConfig): Promise<Missing> {
  const apps = config.makeApiClient(AppsV1Api);
  const [deployments, daemonSets] = await Promise.all([
    apps.listDeploymentForAllNamespaces(),
    apps.listDaemonSetForAllNamespaces(),
  ]);
  return [
    ...deployments.items.map(({ metadata, spec, status }) => ({
      name: metadata?.name,
      want: spec?.replicas ?? 1,
      have: status?.observedGeneration === metadata?.generation ? (status?.readyReplicas ?? 0) : 0,
    })),
    ...daemonSets.items.map(({ metadata, status }) => ({
      name: metadata?.name,
      want: Math.max(1, status?.desiredNumberScheduled ?? 0),
      have: status?.observedGeneration === metadata?.generation ? (status?.numberReady ?? 0) : 0,
    })),
  ]
    .filter(({ want, have }) => have < want)
    .map(({ name, want, have }) => `${name}: ${have} of ${want} pods ready`);
}

/** The load-balanced Services that already have an address, and the names of those that have none. */
export async function findServices<Service extends LoadBalancedService>(
  config: KubeConfig,
  cloud: LabCloud<Service>,
): Promise<{ readonly services: readonly Service[]; readonly missing: Missing }> {
  const { items } = await config.makeApiClient(CoreV1Api).listServiceForAllNamespaces();
  const balanced = items.filter(isBalanced);
  const services = balanced.map((service) => cloud.describeService(service)).filter((service) => service !== undefined);
  const missing = balanced
    .map((service) => service.metadata?.name)
    .filter((name) => !services.some((service) => service.name === name))
    .map((name) => `${name}: no load balancer yet`);
  return { services, missing };
}

/**
 * The targets that should be healthy and are not: with externalTrafficPolicy Local those on nodes with a ready pod, with Cluster all nodes
 * (kubernetes pkg/proxy/healthcheck/service_health.go).
 */
export async function missingTargets<Service extends LoadBalancedService>(
  config: KubeConfig,
  cloud: LabCloud<Service>,
  services: readonly Service[],
): Promise<Missing> {
  const [nodes, slices] = await Promise.all([
    config.makeApiClient(CoreV1Api).listNode(),
    config.makeApiClient(DiscoveryV1Api).listEndpointSliceForAllNamespaces(),
  ]);
  return services.flatMap((service) => {
    const local = nodesWithReadyEndpoint(service, slices.items);
    const wanted = nodes.items
      .filter((node) => service.externalTrafficPolicy === 'Cluster' || local.has(node.metadata?.name ?? ''))
      .map(instanceId);
    const faults = wanted.flatMap((id) => {
      const fault = cloud.targetFault(service, id);
      return fault === undefined ? [] : [`${id} ${fault}`];
    });
    if (wanted.length > 0 && faults.length === 0) return [];
    return [
      `${service.name}: ${wanted.length - faults.length} of ${wanted.length} targets healthy; ${faults.join(', ')}`,
    ];
  });
}

/** The addresses that do not answer a real request from the client's namespace. */
export async function missingAnswers(services: readonly LoadBalancedService[]): Promise<Missing> {
  const urls = services.flatMap(({ vips, port }) => vips.map(({ address }) => `http://${address}:${port}/`));
  const script = `Promise.all(process.argv.slice(1).map(async (url) => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch((error) => error);
    return answer.status === 200 ? '' : url + ' does not answer';
  })).then((lines) => process.stdout.write(lines.filter(Boolean).join('\\n')))`;
  const result = await attempt('nsenter', [
    `--net=/run/netns/${NAMESPACES.client}`,
    process.execPath,
    '--eval',
    script,
    ...urls,
  ]);
  if (result.code !== 0) return [`the client's namespace cannot be used: ${result.stderr.trim()}`];
  return result.stdout.split('\n').filter((line) => line !== '');
}

function takesPods(node: V1Node): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && !(node.spec?.taints?.some(({ key }) => key === UNINITIALIZED_TAINT) ?? false);
}

function nodesWithReadyEndpoint(service: LoadBalancedService, slices: readonly V1EndpointSlice[]): ReadonlySet<string> {
  const own = slices.filter(
    ({ metadata }) =>
      metadata?.namespace === service.namespace && metadata.labels?.['kubernetes.io/service-name'] === service.name,
  );
  const endpoints = own.flatMap((slice) => slice.endpoints ?? []);
  return new Set(
    endpoints.filter(({ conditions }) => conditions?.ready === true).map(({ nodeName }) => nodeName ?? ''),
  );
}

/** A node's provider ID ends with the instance: `aws:///ZONE/INSTANCE`, `gce://PROJECT/ZONE/INSTANCE`. */
function instanceId(node: V1Node): string {
  return node.spec?.providerID?.split('/').at(-1) ?? '';
}
