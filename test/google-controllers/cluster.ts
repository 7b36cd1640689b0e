/** A real API server, the simulated Google and the real controllers of GKE between them, without nodes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { createGoogleLoadBalancers } from '../../adapters/gcp/load-balancers/load-balancers.ts';
import { authorityFile, certificate, key, trustAuthority } from '../../lab/certificates.ts';
import { storeClusterUid } from '../../lab/cluster/cluster-uid.ts';
import { startGceCloudController, startIngressGce } from '../../lab/cluster/google-controllers.ts';
import { freePorts } from '../../lab/free-ports.ts';
import type { Instance, Resource } from '../../lab/gcp/compute/state.ts';
import { type SimulatedGcp, startSimulatedGcp } from '../../lab/gcp/server.ts';
import { stop } from '../../lab/process.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import { installGoogleControllers } from '../../scripts/setup/install-google-controllers.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

/** What the tests of one file share. */
export interface GoogleCluster {
  readonly controlPlane: ControlPlane;
  readonly gcp: SimulatedGcp;
  /** VMs, which are nodes of the same name, in order of their zones: two in each of two zones. */
  readonly vms: readonly Instance[];
  startIngressGce(): Promise<void>;
  /** What the controllers wrote last, for messages. */
  logs(): string;
  stop(): Promise<void>;
}

/** Starts everything but ingress-gce, which needs nodes that have been initialized. */
export async function startGoogleCluster(): Promise<GoogleCluster> {
  const tools = await installGoogleControllers();
  const gcp = await startSimulatedGcp({
    clusters: [{ name: 'lab', pools: [{ name: 'web', initialNodeCount: 2 }] }],
    delays: { computeOperationMs: 100, firstHealthMs: 3_000, drainShare: 0.2 },
    tls: { certificate, key },
  });
  trustAuthority();
  const controlPlane = await startControlPlane({ controllers: ['endpointslice-controller'] });
  const config = new KubeConfig();
  config.loadFromFile(controlPlane.kubeconfig('admin'));
  await storeClusterUid(config, 'lab');
  const [ccm = 0, glbc = 0] = await freePorts(2);
  const settings = {
    kubeconfig: controlPlane.kubeconfig('admin'),
    folder: controlPlane.directory,
    computeUrl: gcp.computeUrl,
    metadataHost: gcp.metadataHost,
    authorityFile,
    project: gcp.model.project,
    zone: gcp.model.zones[0] ?? '',
    clusterName: 'lab',
    nodePrefix: 'gke-lab',
    ports: { cloudControllerManager: ccm, ingressGce: glbc },
  };
  const vms = [...gcp.model.instances.values()].toSorted((a, b) => a.zone.localeCompare(b.zone));
  for (const [index, vm] of vms.entries()) await createNode(controlPlane, vm, `10.244.${index + 1}.0/24`);
  const processes = [await startGceCloudController(tools, settings)];
  return {
    controlPlane,
    gcp,
    vms,
    startIngressGce: async () => void processes.push(await startIngressGce(tools, settings)),
    logs: () =>
      processes
        .map(({ name }) => readFileSync(join(controlPlane.directory, `${name}.log`), 'utf8').slice(-3_000))
        .join('\n\n'),
    stop: async () => {
      await Promise.all(processes.map(({ child }) => stop(child, 2_000)));
      await controlPlane.stop();
      await gcp.close();
    },
  };
}

/** The adapter as it runs in production, with credentials from the metadata server. */
export function openBalancers({ gcp }: GoogleCluster): LoadBalancers {
  process.env['GCE_METADATA_HOST'] = gcp.metadataHost;
  process.env['METADATA_SERVER_DETECTION'] = 'assume-present';
  const { project, region } = gcp.model;
  return createGoogleLoadBalancers({ clock: systemClock, project, region, computeUrl: `${gcp.computeUrl}/` });
}

/** A Node as its kubelet registers it: only the cloud controller manager knows which VM it is. */
async function createNode(controlPlane: ControlPlane, vm: Instance, podCIDR: string): Promise<void> {
  await controlPlane.api('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: vm.name, labels: { 'kubernetes.io/hostname': vm.name, 'cloud.google.com/gke-nodepool': 'web' } },
    spec: {
      podCIDR,
      podCIDRs: [podCIDR],
      taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
    },
  });
  await controlPlane.api('PATCH', `/api/v1/nodes/${vm.name}/status`, {
    status: {
      addresses: [{ type: 'InternalIP', address: vm.ip }],
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
    },
  });
}

/** A Service of pods with the label `app`. */
export async function createService(
  controlPlane: ControlPlane,
  name: string,
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  await controlPlane.api('POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, annotations },
    spec: {
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
      ...spec,
    },
  });
}

/** A ready pod on the node of that VM, with the readiness gate that GKE's webhook would add. */
export async function createPod(controlPlane: ControlPlane, name: string, vm: Instance, podIP: string): Promise<void> {
  const pods = '/api/v1/namespaces/default/pods';
  await controlPlane.api('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: {
      nodeName: vm.name,
      readinessGates: [{ conditionType: 'cloud.google.com/load-balancer-neg-ready' }],
      containers: [{ name: 'web', image: 'app.example/app:1', ports: [{ containerPort: 8080 }] }],
    },
  });
  const conditions = ['Initialized', 'ContainersReady', 'PodScheduled', 'Ready'].map((type) => ({
    type,
    status: 'True',
  }));
  await controlPlane.api('PATCH', `${pods}/${name}/status`, {
    status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }], hostIP: vm.ip, conditions },
  });
}

/** The resources of a collection whose description names the Service. */
export function resourcesFor({ gcp }: GoogleCluster, collection: string, service: string): Resource[] {
  return [...gcp.model.resources.values()].filter(
    ({ path, fields }) => path.includes(`/${collection}/`) && String(fields['description']).includes(`"${service}"`),
  );
}

/** Names of the VMs that are members of the resources and not leaving them, sorted. */
export function membersIn(resources: readonly Resource[]): string[] {
  return resources
    .flatMap(({ backends }) => backends)
    .filter(({ draining }) => !draining)
    .map(({ instance }) => instance.slice(instance.lastIndexOf('/') + 1))
    .toSorted();
}
