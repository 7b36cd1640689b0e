/** Determines when a lab is ready: nodes, pods, load balancers, and real requests through them. */
import {
  AppsV1Api,
  CoreV1Api,
  DiscoveryV1Api,
  type KubeConfig,
  type V1EndpointSlice,
  type V1Node,
  type V1Service,
} from '@kubernetes/client-node';
import type { LoadBalancer, TargetGroup } from '../aws/elbv2/state.ts';
import type { SimulatedAws } from '../aws/server.ts';
import { NAMESPACES } from '../network-plan.ts';
import { attempt } from '../process.ts';

/** Set by the kubelet, removed by the cloud controller manager once it has set the zone labels. */
const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** A Service behind a load balancer, as clients see it. */
export interface LabService {
  readonly namespace: string;
  readonly name: string;
  /** From the Service's status. */
  readonly hostname: string;
  readonly port: number;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  readonly loadBalancerArn: string;
  readonly targetGroupArns: readonly string[];
  /** One address per zone. */
  readonly vips: readonly { readonly zone: string; readonly address: string }[];
}

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
export async function findServices(
  config: KubeConfig,
  aws: SimulatedAws,
): Promise<{ readonly services: readonly LabService[]; readonly missing: Missing }> {
  const { items } = await config.makeApiClient(CoreV1Api).listServiceForAllNamespaces();
  const balanced = items.filter((service) => service.spec?.type === 'LoadBalancer');
  const services = balanced.map((service) => describe(service, aws)).filter((service) => service !== undefined);
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
export async function missingTargets(
  config: KubeConfig,
  aws: SimulatedAws,
  services: readonly LabService[],
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
    const groups = service.targetGroupArns
      .map((arn) => aws.model.targetGroups.get(arn))
      .filter((group) => group !== undefined);
    const missing = wanted.filter((id) => !groups.every((group) => getsConnections(group, id)));
    if (wanted.length > 0 && missing.length === 0) return [];
    const told = missing.map((id) => `${id} ${describeTarget(groups, id)}`).join(', ');
    return [`${service.name}: ${wanted.length - missing.length} of ${wanted.length} targets healthy; ${told}`];
  });
}

/** The addresses that do not answer a real request from the client's namespace. */
export async function missingAnswers(services: readonly LabService[]): Promise<Missing> {
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

function describe(service: V1Service, aws: SimulatedAws): LabService | undefined {
  const hostname = service.status?.loadBalancer?.ingress?.[0]?.hostname;
  const balancer = [...aws.model.loadBalancers.values()].find(({ dnsName }) => dnsName === hostname);
  const port = service.spec?.ports?.[0]?.port;
  if (hostname === undefined || balancer === undefined || port === undefined) return undefined;
  return {
    namespace: service.metadata?.namespace ?? '',
    name: service.metadata?.name ?? '',
    hostname,
    port,
    externalTrafficPolicy: service.spec?.externalTrafficPolicy === 'Local' ? 'Local' : 'Cluster',
    loadBalancerArn: balancer.arn,
    targetGroupArns: targetGroupsOf(balancer),
    vips: balancer.zones.map(({ zone, vip }) => ({ zone, address: vip })),
  };
}

function targetGroupsOf(balancer: LoadBalancer): readonly string[] {
  return [...new Set([...balancer.listeners.values()].map((listener) => listener.targetGroupArn))];
}

function nodesWithReadyEndpoint(service: LabService, slices: readonly V1EndpointSlice[]): ReadonlySet<string> {
  const own = slices.filter(
    ({ metadata }) =>
      metadata?.namespace === service.namespace && metadata.labels?.['kubernetes.io/service-name'] === service.name,
  );
  const endpoints = own.flatMap((slice) => slice.endpoints ?? []);
  return new Set(
    endpoints.filter(({ conditions }) => conditions?.ready === true).map(({ nodeName }) => nodeName ?? ''),
  );
}

/** A node's provider ID is `aws:///ZONE/INSTANCE`. */
function instanceId(node: V1Node): string {
  return node.spec?.providerID?.split('/').at(-1) ?? '';
}

function describeTarget(groups: readonly TargetGroup[], id: string): string {
  const targets = groups.flatMap((group) => [...group.targets.values()].filter((target) => target.id === id));
  if (targets.length === 0) return 'is not registered';
  return targets.map(({ state, reason = 'no reason' }) => `is ${state} (${reason})`).join(' and ');
}

/** Healthy, and the data plane knows it. */
function getsConnections(group: TargetGroup, id: string): boolean {
  const healthy = [...group.targets.values()].some((target) => target.id === id && target.state === 'healthy');
  return healthy && [...group.routes.values()].some((route) => route.id === id && route.belief === 'healthy');
}
