/** Assembles the cluster: network, control plane, instances, load balancer data plane and simulated AWS. */
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import { type SimulatedAws, startSimulatedAws } from '../aws/server.ts';
import { createDataPlane } from '../dataplane/nft.ts';
import { forwardFromLocalhost, portToSocket, socketToAddress } from '../forward.ts';
import { ADDRESSES, API_SERVER_INSIDE, AWS_PORT_INSIDE, NAMESPACES } from '../network-plan.ts';
import { stop } from '../process.ts';
import type { Scenario } from '../scenario.ts';
import { createPodCgroup } from './cgroups.ts';
import { removeLeftovers } from './cleanup.ts';
import { startCloudController } from './cloud-controller.ts';
import {
  awaitApiServer,
  type ControlPlaneProcess,
  startApiServer,
  startControllers,
  startEtcd,
} from './control-plane.ts';
import { raiseHostLimits } from './host-limits.ts';
import { buildImages } from './images.ts';
import { createCredentials, kubeconfig } from './kubeconfig.ts';
import { createMachines, type Machines } from './machines.ts';
import { followNames } from './name-service.ts';
import { createNetwork } from './network.ts';
import { CREATED_FOLDERS, logFile, STATE } from './state.ts';

/** Folders of the host that every node mounts its own over. */
const MOUNT_POINTS = ['/var/lib/kubelet', '/var/lib/cni', '/var/log/containers'] as const;

/** A cluster whose control plane runs; its nodes may still be booting. */
export interface Cluster {
  readonly aws: SimulatedAws;
  readonly machines: Machines;
  /** For this process. */
  readonly kubeConfig: KubeConfig;
  /** Kills the API server, and starts it again after this time, ms; resolves once it answers. */
  killApiServer(durationMs: number): Promise<void>;
}

/** How a cluster is started. */
interface ClusterOptions {
  readonly tools: ToolPaths;
  readonly scenario: Scenario;
  readonly signal: AbortSignal | undefined;
  readonly report: (text: string) => void;
  /** Cleanup functions are added here as soon as they are needed; the last one must be called first. */
  readonly undo: (() => Promise<unknown> | void)[];
}

/** Starts everything except the scenario's objects; what it has started when it fails is in `undo`. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { tools, scenario, signal, report, undo } = options;
  const leftovers = await removeLeftovers();
  if (leftovers.namespaces > 0) report(`removed ${leftovers.namespaces} namespaces of an earlier lab`);
  undo.push(removeLeftovers);
  await prepareFolders();
  await raiseHostLimits();
  await createNetwork();
  await createPodCgroup();
  signal?.throwIfAborted();

  const credentials = await createCredentials();
  const etcd = watched(startEtcd(tools), undo, report);
  let apiServerProcess = watched(startApiServer(tools, credentials), undo, report);
  portToSocket(NAMESPACES.controlPlane, AWS_PORT_INSIDE, STATE.awsSocket, logFile('forward'));
  portToSocket(NAMESPACES.operations, AWS_PORT_INSIDE, STATE.awsSocket, logFile('forward'));
  const apiServer = `${ADDRESSES.controlPlane}:6443`;
  await socketToAddress(NAMESPACES.controlPlane, STATE.apiServerSocket, apiServer, logFile('forward'));
  const entrance = await forwardFromLocalhost(0, { path: STATE.apiServerSocket });
  undo.push(() => entrance.close());

  const ready = awaitApiServer(entrance.port, credentials, [etcd, apiServerProcess], signal).then(async (authority) => {
    await writeFile(STATE.kubeconfigInside, kubeconfig(API_SERVER_INSIDE, authority, credentials.adminToken));
    await writeFile(
      STATE.kubeconfig,
      kubeconfig(`https://127.0.0.1:${entrance.port}`, authority, credentials.adminToken),
    );
    return STATE.kubeconfigInside;
  });
  // Awaited below; a failure before that is not unhandled.
  ready.catch(() => undefined);
  const images = await buildImages(STATE.images, tools);
  const machines = createMachines({ tools, images, apiServer: ready }, report);
  undo.push(() => machines.killAll());
  const aws = await startCloud(options, machines);

  const inside = await ready;
  report('the API server is ready');
  for (const process of startControllers(tools, inside, credentials)) watched(process, undo, report);
  const settings = {
    region: scenario.region,
    clusterName: scenario.clusterName,
    vpcId: aws.model.network.vpcId,
    subnetId: aws.model.network.subnets[0]?.id ?? '',
  };
  watched(await startCloudController(tools, inside, settings), undo, report);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(STATE.kubeconfig);
  const killApiServer = async (durationMs: number): Promise<void> => {
    await stop(apiServerProcess.child, 0);
    await setTimeout(durationMs);
    apiServerProcess = watched(startApiServer(tools, credentials), undo, report);
    await awaitApiServer(entrance.port, credentials, [apiServerProcess], signal);
  };
  return { aws, machines, kubeConfig, killApiServer };
}

async function startCloud(options: ClusterOptions, machines: Machines): Promise<SimulatedAws> {
  const { scenario, report, undo } = options;
  const dataPlane = createDataPlane({
    namespace: NAMESPACES.loadBalancer,
    onError: (error) => report(`load balancer data plane: ${error.message}`),
  });
  undo.push(() => dataPlane.close());
  const aws = await startSimulatedAws({
    clusterName: scenario.clusterName,
    clusterVersion: scenario.version,
    clusterEndpoint: API_SERVER_INSIDE,
    region: scenario.region,
    zones: scenario.zones,
    delays: scenario.delays,
    hooks: machines,
    dataPlane,
    nodegroups: scenario.nodegroups,
    socketPath: STATE.awsSocket,
  });
  undo.push(() => aws.close(), await followNames(aws));
  return aws;
}

async function prepareFolders(): Promise<void> {
  for (const folder of [STATE.logs, STATE.pki, STATE.images, STATE.nodes, STATE.shared]) {
    await mkdir(folder, { recursive: true });
  }
  for (const folder of MOUNT_POINTS) {
    const created = await mkdir(folder, { recursive: true });
    if (created !== undefined) await writeFile(CREATED_FOLDERS, `${folder}\n`, { flag: 'a' });
  }
}

/** Reports when a process of the control plane ends before the lab does. */
function watched(
  process: ControlPlaneProcess,
  undo: ClusterOptions['undo'],
  report: ClusterOptions['report'],
): ControlPlaneProcess {
  const { name, child } = process;
  let stopping = false;
  child.once('exit', () => {
    if (!stopping) report(`${name} has ended: see ${logFile(name)}`);
  });
  undo.push(async () => {
    stopping = true;
    await stop(child, 0);
  });
  return process;
}
