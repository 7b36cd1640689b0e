/** One node: an instance made of namespaces, with its own containerd, kubelet and kube-proxy. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import type { BootedInstance } from '../contracts.ts';
import { instanceNamespace } from '../network-plan.ts';
import { ended, isRunning, run, StopWaiting, start, until } from '../process.ts';
import {
  cgroupProcesses,
  createNodeCgroup,
  nodeCgroup,
  nodeCgroupEntrances,
  nodeCgroupMounts,
  removeCgroup,
} from './cgroups.ts';
import { connectNode, type NodeAddress, type ReturnPath, removeNodeNamespace, unplugNode } from './network.ts';
import {
  CNI_PLUGIN_FOLDERS,
  cniConfig,
  containerdConfig,
  containerdSocket,
  kubeletArguments,
  kubeletConfig,
  kubeletFor,
  kubeProxyArguments,
  nodeFolders,
  nodeInit,
} from './node-config.ts';
import { logFile, STATE, STATE_DIR } from './state.ts';

/** Lower priority than the traffic under test: a booting node must not disturb the ones that serve. */
const NODE_NICE = 10;
const STEP_TIMEOUT_MS = 60_000;

/** What a node needs from the rest of the lab. */
export interface NodeSurroundings {
  readonly tools: ToolPaths;
  /** Archive to import. */
  readonly images: string;
  readonly returnPath: ReturnPath;
  /** Resolves with the kubeconfig for use inside the lab as soon as the API server answers. */
  readonly apiServer: Promise<string>;
}

/** An instance that has been switched on. */
export interface Machine {
  readonly instance: BootedInstance;
  readonly address: NodeAddress;
  /** Settles when all of its processes have been started; rejects when that fails or the instance is terminated before. */
  readonly started: Promise<void>;
  /** Disconnects it from the network, then kills everything that runs on it. Resolves when it is dead; idempotent. */
  kill(): Promise<void>;
  /** After `kill`: removes its namespace, control group and files. */
  remove(): Promise<void>;
}

/** Switches an instance on. Its network is up when the promise resolves; the rest continues in the background. */
export async function powerOn(
  instance: BootedInstance,
  number: number,
  others: readonly NodeAddress[],
  surroundings: NodeSurroundings,
): Promise<Machine> {
  const address: NodeAddress = { instanceId: instance.instanceId, ip: instance.privateIp, number };
  const base = join(STATE.nodes, instance.instanceId);
  const power = new AbortController();
  await connectNode(address, others, surroundings.returnPath);
  await prepareFolders(instance, number, base);
  const init = startInit(instance, base);
  const started = startProcesses(instance, base, init, surroundings, power.signal);
  // Callers that need it wait for `started`. An instance that is terminated while booting is not an error of this process.
  started.catch(() => undefined);
  let death: Promise<void> | undefined;
  return {
    instance,
    address,
    started,
    kill: () => {
      death ??= die(address, init, power);
      return death;
    },
    remove: () => removeMachine(address, base),
  };
}

async function prepareFolders(instance: BootedInstance, number: number, base: string): Promise<void> {
  const folders = nodeFolders(base);
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  await createNodeCgroup(instance.instanceId);
  const plugins = CNI_PLUGIN_FOLDERS.find((folder) => existsSync(join(folder, 'ptp')));
  if (plugins === undefined)
    throw new Error(`no CNI plugins in ${CNI_PLUGIN_FOLDERS.join(' or ')}: install containernetworking-plugins`);
  await writeFile(join(base, 'containerd.toml'), containerdConfig(folders, plugins));
  await writeFile(join(folders.cni, '10-lab.conflist'), cniConfig(folders, number));
  const kubelet = kubeletConfig(instance, folders);
  await writeFile(join(base, 'kubelet.json'), JSON.stringify(kubelet, undefined, 2));
  await writeFile(join(base, 'init.sh'), nodeInit(instance, folders, STATE_DIR, nodeCgroupMounts(instance.instanceId)));
}

/**
 * The first process of an instance, in its own process, mount and host name namespaces. When it dies, the kernel kills everything else in them
 * (pid_namespaces(7)), including containers, and their mounts disappear.
 */
function startInit(instance: BootedInstance, base: string): ChildProcess {
  const entrances = nodeCgroupEntrances(instance.instanceId).map((file) => `echo $$ > ${file}\n`);
  const unshare = 'exec unshare --pid --fork --kill-child --mount-proc --mount --propagation slave --uts --cgroup';
  return start('sh', ['-ec', `${entrances.join('')}${unshare} sh ${join(base, 'init.sh')}`], {
    namespace: instanceNamespace(instance.instanceId),
    log: logFile(`${instance.instanceId}-init`),
    nice: NODE_NICE,
  });
}

async function startProcesses(
  instance: BootedInstance,
  base: string,
  init: ChildProcess,
  surroundings: NodeSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const folders = nodeFolders(base);
  const socket = containerdSocket(folders);
  const kubelet = kubeletFor(surroundings.tools, instance.kubernetesVersion);
  if (kubelet === undefined) throw new Error(`there is no kubelet of version ${instance.kubernetesVersion}`);
  const launch = (name: string, command: string, args: readonly string[]): void => {
    signal.throwIfAborted();
    start('nsenter', [...inside(init), command, ...args], {
      log: logFile(`${instance.instanceId}-${name}`),
      nice: NODE_NICE,
    });
  };
  const wait = { timeoutMs: STEP_TIMEOUT_MS, everyMs: 50, signal };
  await until(async () => hasBooted(base, init), { ...wait, what: 'the instance does not boot' });
  launch('containerd', 'containerd', ['--config', join(base, 'containerd.toml')]);
  await until(() => answers(socket), { ...wait, what: 'containerd does not listen' });
  signal.throwIfAborted();
  const ctr = ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', surroundings.images];
  await run('nice', ['-n', String(NODE_NICE), 'nsenter', ...inside(init), 'ctr', ...ctr], {
    timeoutMs: STEP_TIMEOUT_MS,
  });
  const kubeconfig = await surroundings.apiServer;
  launch('kubelet', kubelet, kubeletArguments(instance, folders, kubeconfig));
  launch('kube-proxy', surroundings.tools.kubeProxy, kubeProxyArguments(instance, kubeconfig));
}

function hasBooted(base: string, init: ChildProcess): true | undefined {
  if (existsSync(join(base, 'booted'))) return true;
  if (isRunning(init)) return undefined;
  throw new StopWaiting('the first process of the instance has ended');
}

/** nsenter's arguments that lead into an instance. */
function inside(init: ChildProcess): readonly string[] {
  const pid = init.pid;
  if (pid === undefined) throw new Error('the instance could not be started');
  // unshare itself stays outside the process namespace that it created for its child.
  return [`--pid=/proc/${pid}/ns/pid_for_children`, '--target', String(pid), '--mount', '--net', '--uts', '--cgroup'];
}

async function answers(socket: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(undefined));
  });
}

async function die(address: NodeAddress, init: ChildProcess, power: AbortController): Promise<void> {
  power.abort(new Error(`instance ${address.instanceId} was terminated`));
  try {
    await unplugNode(address);
  } finally {
    init.kill('SIGKILL');
    await ended(init);
  }
}

async function removeMachine(address: NodeAddress, base: string): Promise<void> {
  const cgroup = nodeCgroup(address.instanceId);
  await until(async () => ((await cgroupProcesses(cgroup)).size === 0 ? true : undefined), {
    what: `containers of ${address.instanceId} do not end`,
    timeoutMs: STEP_TIMEOUT_MS,
  });
  await removeNodeNamespace(address);
  await removeCgroup(cgroup);
  // Mounts of a dying namespace are removed a moment after its last process.
  await until(
    async () => {
      await rm(base, { recursive: true, force: true });
      return true;
    },
    { what: `files of ${address.instanceId} cannot be removed`, timeoutMs: STEP_TIMEOUT_MS },
  );
}
