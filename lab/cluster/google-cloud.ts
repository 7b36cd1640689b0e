/** The simulated Google as the cloud of a lab, with the real controllers of GKE. */
import { KubeConfig, type V1Service } from '@kubernetes/client-node';
import type { GoogleControllerPaths } from '../../scripts/setup/install-google-controllers.ts';
import { authorityFile, certificate, key, trustAuthority } from '../certificates.ts';
import { forwardFromSocket, portToSocket } from '../forward.ts';
import { targetFault } from '../gcp/compute/balancing/target-fault.ts';
import type { GcpDelays } from '../gcp/presets.ts';
import type { ClusterSeed } from '../gcp/seed.ts';
import { type SimulatedGcp, startSimulatedGcp } from '../gcp/server.ts';
import { CONTROLLER_HOSTS, NAMESPACES } from '../network-plan.ts';
import type { GkeScenario } from '../scenario.ts';
import {
  type CloudSurroundings,
  describeBalanced,
  type LabCloud,
  type LoadBalancedService,
  type UpgradeDelays,
} from './cloud.ts';
import { storeClusterUid } from './cluster-uid.ts';
import { startGceCloudController, startIngressGce } from './google-controllers.ts';
import { writeNames } from './name-service.ts';
import { connectHost } from './network.ts';
import { assignPodCidrs } from './pod-cidrs.ts';
import { makeProxies, proxyRule } from './pod-proxies.ts';
import { logFile, STATE } from './state.ts';

/** Ports of the controllers, each in its own namespace. */
const CONTROLLER_PORTS = { cloudControllerManager: 10_258, ingressGce: 10_260 } as const;

/** A simulated Google that runs in the lab. */
export interface GoogleCloud extends LabCloud<LoadBalancedService> {
  readonly gcp: SimulatedGcp;
}

/**
 * Starts the simulated Google, reachable from inside the lab under the ports that it has outside. Its APIs are served over TLS. This process trusts
 * their certificate from then on, but for gRPC, which has to be told before it is loaded; others do so with `environment`.
 */
export async function openGoogle(
  scenario: GkeScenario,
  tools: GoogleControllerPaths,
  { machines, dataPlane, undo }: CloudSurroundings,
): Promise<GoogleCloud> {
  const { region, zones, clusterName, delays } = scenario;
  const gcp = await startSimulatedGcp({
    clusters: [clusterSeed(scenario)],
    region,
    zones,
    delays,
    hooks: machines,
    dataPlane,
    tls: { certificate, key },
  });
  undo.push(() => gcp.close());
  await writeNames();
  const hosts = Object.values(CONTROLLER_HOSTS);
  for (const { namespace, address } of hosts) await connectHost(namespace, address);
  const everyone = [...hosts.map(({ namespace }) => namespace), NAMESPACES.operations];
  await reachInside(portOf(gcp.computeUrl), STATE.computeSocket, everyone, undo);
  await reachInside(portOf(`http://${gcp.metadataHost}`), STATE.metadataSocket, everyone, undo);
  await reachInside(gcp.gkePort, STATE.gkeSocket, [NAMESPACES.operations], undo);
  trustAuthority();
  const { project } = gcp.model;
  const environment = {
    GOOGLE_CLOUD_PROJECT: project,
    GCE_METADATA_HOST: gcp.metadataHost,
    METADATA_SERVER_DETECTION: 'assume-present',
    NODEFERRY_GKE_ENDPOINT: `localhost:${gcp.gkePort}`,
    NODEFERRY_COMPUTE_URL: `${gcp.computeUrl}/`,
    NODEFERRY_RESOURCE_MANAGER_URL: `${gcp.computeUrl}/`,
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: authorityFile,
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
  return {
    gcp,
    provider: 'gke',
    poolLabel: 'cloud.google.com/gke-nodepool',
    delays: upgradeDelays(gcp.model.delays),
    launchedAt: (name) => {
      const vm = [...gcp.model.instances.values()].find((instance) => instance.name === name);
      return vm && Date.parse(vm.createdAt);
    },
    deregisteredAt: (name) => gcp.model.deregisteredAt.get(name),
    url: gcp.computeUrl,
    outside: environment,
    environment,
    startControllers: async (kubeconfig) => {
      const { computeUrl, metadataHost } = gcp;
      const config = outsideConfig();
      undo.push(assignPodCidrs(config, machines), makeProxies(config, { computeUrl, project, region }));
      await storeClusterUid(config, clusterName);
      const settings = {
        kubeconfig,
        folder: STATE.logs,
        computeUrl,
        metadataHost,
        authorityFile,
        project,
        zone: zones[0] ?? '',
        clusterName,
        nodePrefix: `gke-${clusterName}`,
        ports: CONTROLLER_PORTS,
      };
      const { cloudControllerManager, ingressGce } = CONTROLLER_HOSTS;
      return [
        await startGceCloudController(tools, { ...settings, namespace: cloudControllerManager.namespace }),
        await startIngressGce(tools, { ...settings, namespace: ingressGce.namespace }),
      ];
    },
    describeService: (service) => {
      const address = service.status?.loadBalancer?.ingress?.[0]?.ip ?? proxyAddress(gcp, service);
      return address === undefined ? undefined : describeBalanced(service, address, [{ zone: region, address }]);
    },
    configure: async () => undefined,
    targetFault: ({ hostname }, name) => targetFault(gcp.model, hostname, name),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** The address of the proxy that was made for a Service; undefined while there is none. */
function proxyAddress({ model }: SimulatedGcp, { metadata }: V1Service): string | undefined {
  const address = model.resources.get(proxyRule(model.region, metadata?.name ?? ''))?.fields['IPAddress'];
  return typeof address === 'string' ? address : undefined;
}

function upgradeDelays(delays: GcpDelays): UpgradeDelays {
  return {
    instanceTerminationMs: delays.instanceTerminationMs,
    nodegroupCreateMs: delays.operationStartMs,
    nodegroupDeleteMs: delays.operationStartMs + delays.poolDeleteMs,
    registrationMs: delays.computeOperationMs + delays.attachPropagationMs,
    deregistrationPropagationMs: delays.detachPropagationMs,
    healthyPropagationMs: delays.healthyPropagationMs,
  };
}

/** The cluster with its pools. Their sizes are per zone there, so each has to be a multiple of the number of its zones. */
function clusterSeed({ clusterName, region, zones, nodegroups }: GkeScenario): ClusterSeed {
  const pools = nodegroups.map(({ name, size, version, instanceType, labels = {}, taints = [], ...group }) => {
    const locations = [...(group.zones ?? zones)];
    if (size % locations.length !== 0) throw new Error(`node pool ${name}: ${size} nodes in ${locations.length} zones`);
    const full = { '1.35': '1.35.9-gke.2000', '1.36': '1.36.3-gke.1000' }[version];
    if (full === undefined) throw new Error(`node pool ${name}: GKE has no version ${version} here`);
    return {
      name,
      version: full,
      locations,
      initialNodeCount: size / locations.length,
      config: {
        machineType: instanceType,
        labels: { ...labels },
        taints: taints.map(({ key: taint, value }) => ({ key: taint, value, effect: 'NO_SCHEDULE' as const })),
      },
    };
  });
  return { name: clusterName, location: region, zones, version: '1.36.3-gke.1000', pools };
}

/** Makes a port of this process reachable under its own number on 127.0.0.1 of these namespaces. */
async function reachInside(
  port: number,
  socket: string,
  namespaces: readonly string[],
  undo: CloudSurroundings['undo'],
): Promise<void> {
  const forward = await forwardFromSocket(socket, { host: '127.0.0.1', port });
  undo.push(() => forward.close());
  for (const namespace of namespaces) portToSocket(namespace, port, socket, logFile('forward'));
}

function outsideConfig(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(STATE.kubeconfig);
  return config;
}
