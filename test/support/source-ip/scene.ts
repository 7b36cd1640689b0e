/** Two nodes and two Services with the same pods, one of each policy. */
import { CoreV1Api, KubeConfig, type V1Pod, type V1Service } from '@kubernetes/client-node';
import type { LoadBalancedService } from '../../../lab/cluster/cloud.ts';
import { applyObjects } from '../../../lab/cluster/objects.ts';
import { instanceNamespace, NAMESPACES } from '../../../lab/network-plan.ts';
import { until } from '../../../lab/process.ts';
import type { RunningLab } from '../../../lab/running-lab.ts';
import { onWeb } from '../../../lab/scenarios/parts.ts';
import { deployment } from '../../../lab/scenarios/workloads.ts';
import { type Answer, sendFrom } from './requests.ts';

const namespace = 'default';
const app = 'pinned';

/** Far above what anything takes here, ms. */
const patienceMs = 120_000;

/** A health check of a load balancer. */
interface HealthCheck {
  readonly periodMs: number;
  /** Checks in a row that make a target healthy, and those that make it unhealthy. */
  readonly passes: number;
  readonly failures: number;
}

/** A lab on whatever cloud, with two nodes of the pool `web` and a pod of the DaemonSet `agent` on each. */
export interface PreservingLab {
  readonly lab: RunningLab;
  /** A Service of type LoadBalancer. */
  readonly balanced: (name: string, clusterIP: string, externalTrafficPolicy: 'Local' | 'Cluster') => V1Service;
  /** The health check of its load balancer, as it is set. */
  readonly checkOf: (service: LoadBalancedService) => HealthCheck;
}

/** A node. */
export interface SceneNode {
  readonly name: string;
  readonly zone: string;
  readonly ip: string;
  readonly instanceId: string;
  /** Its network namespace. */
  readonly namespace: string;
}

/** A Service, by what is needed to send to it. */
export interface SceneService {
  readonly balanced: LoadBalancedService;
  readonly clusterIP: string;
  readonly nodePort: number;
  /** 0 under policy Cluster. */
  readonly healthCheckNodePort: number;
  /** Addresses of its load balancer that are in its status, for which kube-proxy answers by itself. */
  readonly statusAddresses: readonly string[];
}

/** What the tests of one lab share. */
export interface Scene {
  /** The first has a pod of both Services from the start. */
  readonly nodes: readonly [SceneNode, SceneNode];
  readonly local: SceneService;
  readonly cluster: SceneService;
  /** Starts a pod of both Services on that node. While its file `unready` exists it is not ready. */
  start(name: string, node: SceneNode, unreadyFile?: string): Promise<void>;
  /** Deletes such a pod and returns at once. */
  delete(name: string): Promise<void>;
  /** IP of the pod of `agent` on that node. */
  agentOn(node: SceneNode): Promise<string>;
  /** What the health check port of policy Local answers on that node, and the number of endpoints that it names. */
  healthOn(node: SceneNode): Promise<{ readonly status: number; readonly localEndpoints: number }>;
  /** Why the load balancer does not send new connections to the node; undefined when it does. */
  fault(service: SceneService, node: SceneNode): string | undefined;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** Waits until the condition holds, and resolves with when that was, epoch ms. */
export async function when(what: string, condition: () => boolean | Promise<boolean>): Promise<number> {
  return await until(async () => ((await condition()) ? Date.now() : undefined), {
    what,
    timeoutMs: patienceMs,
    everyMs: 50,
  });
}

/** Sets the scene: one pod on the first node, and the load balancers of both Services have found out. */
export async function setScene({ lab, balanced }: PreservingLab): Promise<Scene> {
  const config = new KubeConfig();
  config.loadFromFile(lab.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const nodes = await twoNodes(core);
  const apply = async (object: V1Pod | V1Service) => await applyObjects(config, [object], undefined);
  const pods = new Set<string>();
  const start = async (name: string, node: SceneNode, unreadyFile?: string) => {
    pods.add(name);
    await apply(pinnedPod(name, node, unreadyFile));
  };
  await start('pinned-1', nodes[0]);
  const services = [balanced('esipp-local', '10.96.0.90', 'Local'), balanced('esipp-cluster', '10.96.0.91', 'Cluster')];
  for (const service of services) {
    if (service.spec !== undefined) service.spec.selector = { app };
    await apply(service);
  }
  const found = await lab.waitForServices();
  const [local, cluster] = await Promise.all(
    services.map(async ({ metadata }) => await readService(core, metadata?.name ?? '', found)),
  );
  if (local === undefined || cluster === undefined) throw new Error('there are no Services');
  const fault: Scene['fault'] = (service, { instanceId }) => lab.cloud.targetFault(service.balanced, instanceId);
  await when('the load balancers do not send to the first node', () => fault(local, nodes[0]) === undefined);
  await when('policy Cluster is not healthy everywhere', () =>
    nodes.every((node) => fault(cluster, node) === undefined),
  );
  const remove = async (name: string) => {
    pods.delete(name);
    await core.deleteNamespacedPod({ name, namespace });
  };
  return {
    nodes,
    local,
    cluster,
    start,
    delete: remove,
    agentOn: async (node) => await agentOn(core, node),
    healthOn: async (node) => await healthOn(local, node),
    fault,
    clear: async () => {
      for (const name of pods) await remove(name);
      for (const { metadata } of services) await removeService(core, metadata?.name ?? '');
    },
  };
}

/** The address of a load balancer through which a node gets connections: that of its zone, or the only one. */
export function addressFor({ balanced: { vips, port } }: SceneService, node: SceneNode): string {
  const vip = vips.find(({ zone }) => zone === node.zone) ?? vips[0];
  return `http://${vip?.address}:${port}`;
}

function pinnedPod(name: string, { name: nodeName }: SceneNode, unreadyFile?: string): V1Pod {
  const file = unreadyFile === undefined ? {} : { unreadyFile };
  const { template } = deployment({ name: app, replicas: 1, nodeSelector: {}, ...file }).spec ?? {};
  if (template?.spec === undefined) throw new Error('the app has no pod template');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app } },
    spec: Object.assign(template.spec, { nodeName, topologySpreadConstraints: [] }),
  };
}

async function twoNodes(core: CoreV1Api): Promise<Scene['nodes']> {
  const { items } = await core.listNode({ labelSelector: `pool=${onWeb.pool}` });
  const [first, second] = items.map(({ metadata, spec, status }): SceneNode => {
    const instanceId = spec?.providerID?.split('/').at(-1) ?? '';
    return {
      name: metadata?.name ?? '',
      zone: metadata?.labels?.['topology.kubernetes.io/zone'] ?? '',
      ip: status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '',
      instanceId,
      namespace: instanceNamespace(instanceId),
    };
  });
  if (first === undefined || second === undefined) throw new Error('there are no two nodes');
  return [first, second];
}

async function readService(
  core: CoreV1Api,
  name: string,
  found: readonly LoadBalancedService[],
): Promise<SceneService> {
  const balanced = found.find((service) => service.name === name);
  if (balanced === undefined) throw new Error(`Service ${name} has no load balancer`);
  const { spec, status } = await core.readNamespacedService({ name, namespace });
  return {
    balanced,
    clusterIP: spec?.clusterIP ?? '',
    nodePort: spec?.ports?.[0]?.nodePort ?? 0,
    healthCheckNodePort: spec?.healthCheckNodePort ?? 0,
    statusAddresses: (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []),
  };
}

async function agentOn(core: CoreV1Api, { name }: SceneNode): Promise<string> {
  const { items } = await core.listNamespacedPod({ namespace, labelSelector: 'app=agent' });
  const ip = items.find(({ spec }) => spec?.nodeName === name)?.status?.podIP;
  if (ip === undefined) throw new Error(`no agent runs on ${name}`);
  return ip;
}

async function healthOn({ healthCheckNodePort }: SceneService, { ip }: SceneNode) {
  const url = `http://${ip}:${healthCheckNodePort}/healthz`;
  const [{ status, body }] = (await sendFrom(NAMESPACES.loadBalancer, [{ url }])) as readonly [Answer];
  const { localEndpoints = -1 } = status === 0 ? {} : (JSON.parse(body) as { localEndpoints?: number });
  return { status, localEndpoints };
}

async function removeService(core: CoreV1Api, name: string): Promise<void> {
  await core.deleteNamespacedService({ name, namespace });
  await when(`Service ${name} is not deleted`, async () => {
    const { items } = await core.listNamespacedService({ namespace });
    return items.every(({ metadata }) => metadata?.name !== name);
  });
}
