/** Assembles the cluster: network, control plane, instances, load balancer data plane and simulated cloud. */
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import { createDataPlane } from '../dataplane/nft.ts';
import { forwardFromLocalhost, socketToAddress } from '../forward.ts';
import { ADDRESSES, API_SERVER_INSIDE, NAMESPACES } from '../network-plan.ts';
import { stop } from '../process.ts';
import { createPodCgroup } from './cgroups.ts';
import { removeLeftovers } from './cleanup.ts';
import type { CloudSurroundings, LabCloud, LoadBalancedService } from './cloud.ts';
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
import { createNetwork, type ReturnPath } from './network.ts';
import { CREATED_FOLDERS, logFile, STATE } from './state.ts';

/** Folders of the host that every node mounts its own over. */
const MOUNT_POINTS = ['/var/lib/kubelet', '/var/lib/cni', '/var/log/containers'] as const;

/** A cluster whose control plane runs; its nodes may still be booting. */
export interface Cluster<Cloud> {
  readonly cloud: Cloud;
  readonly machines: Machines;
  /** For this process. */
  readonly kubeConfig: KubeConfig;
  /** Kills the API server, and starts it again after this time, ms; resolves once it answers. */
  killApiServer(durationMs: number): Promise<void>;
}

/** How a cluster is started. */
interface ClusterOptions<Cloud> {
  readonly tools: ToolPaths;
  readonly returnPath: ReturnPath;
  readonly openCloud: (surroundings: CloudSurroundings) => Promise<Cloud>;
  readonly signal: AbortSignal | undefined;
  readonly report: (text: string) => void;
  /** Cleanup functions are added here as soon as they are needed; the last one must be called first. */
  readonly undo: (() => Promise<unknown> | void)[];
}

/** Starts everything except the scenario's objects; what it has started when it fails is in `undo`. */
export async function startCluster<Cloud extends LabCloud<LoadBalancedService>>(
  options: ClusterOptions<Cloud>,
): Promise<Cluster<Cloud>> {
  const { tools, signal, report, undo } = options;
  const leftovers = await removeLeftovers();
  if (leftovers.namespaces > 0) report(`removed ${leftovers.namespaces} namespaces of an earlier lab`);
  undo.push(removeLeftovers);
  await prepareFolders();
  await raiseHostLimits();
  await createNetwork(options.returnPath);
  await createPodCgroup();
  signal?.throwIfAborted();

  const credentials = await createCredentials();
  const etcd = watched(startEtcd(tools), undo, report);
  let apiServerProcess = watched(startApiServer(tools, credentials), undo, report);
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
  const machines = createMachines({ tools, images, returnPath: options.returnPath, apiServer: ready }, report);
  undo.push(() => machines.killAll());
  const cloud = await openCloud(options, machines);

  const inside = await ready;
  report('the API server is ready');
  for (const process of startControllers(tools, inside, credentials)) watched(process, undo, report);
  for (const process of await cloud.startControllers(inside)) watched(process, undo, report);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(STATE.kubeconfig);
  const killApiServer = async (durationMs: number): Promise<void> => {
    await stop(apiServerProcess.child, 0);
    await setTimeout(durationMs);
    apiServerProcess = watched(startApiServer(tools, credentials), undo, report);
    await awaitApiServer(entrance.port, credentials, [apiServerProcess], signal);
  };
  return { cloud, machines, kubeConfig, killApiServer };
}

async function openCloud<Cloud>(
  { openCloud, report, undo }: ClusterOptions<Cloud>,
  machines: Machines,
): Promise<Cloud> {
  const dataPlane = createDataPlane({
    namespace: NAMESPACES.loadBalancer,
    onError: (error) => report(`load balancer data plane: ${error.message}`),
  });
  undo.push(() => dataPlane.close());
  return await openCloud({ machines, dataPlane, undo });
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
  undo: ClusterOptions<never>['undo'],
  report: ClusterOptions<never>['report'],
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
