/**
 * The lab: a real Kubernetes cluster with real nodes and a real load balancer data plane, on a simulated cloud. It runs in the process that starts it and
 * ends with it.
 */
import type { ChildProcess } from 'node:child_process';
import { assertTools, toolPaths } from '../scripts/setup/paths.ts';
import type { CloudSurroundings, LabCloud, LoadBalancedService } from './cluster/cloud.ts';
import { type Cluster, startCluster } from './cluster/cluster.ts';
import { takeLock } from './cluster/lock.ts';
import { withNames } from './cluster/name-service.ts';
import { flushConntrack, forgetUnanswered, type ReturnPath } from './cluster/network.ts';
import { applyObjects, needsNodes } from './cluster/objects.ts';
import {
  findServices,
  type Missing,
  missingAnswers,
  missingNodes,
  missingPods,
  missingTargets,
} from './cluster/readiness.ts';
import { logFile, STATE } from './cluster/state.ts';
import { type Forward, forwardFromSocket, portToSocket } from './forward.ts';
import { NAMESPACES, TEMPORAL_PORT_INSIDE } from './network-plan.ts';
import { type StartOptions, start, stop, until } from './process.ts';
import { type ClusterScenario, validScenario } from './scenario.ts';

const NODES_TIMEOUT_MS = 120_000;
const SERVICES_TIMEOUT_MS = 120_000;
/** What is missing is reported after this time, and each time it has passed again. */
const REPORT_MISSING_EVERY_MS = 15_000;

/** How to start a lab. */
export interface LabOptions {
  /** Called for every step with one line. */
  readonly onProgress?: (text: string) => void;
  /** Aborts the start: everything is taken down again and `startLab` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A process inside the lab; its standard streams are ignored unless set otherwise. */
type InsideOptions = Pick<StartOptions, 'env' | 'stdio' | 'cwd' | 'log' | 'nice'>;

/** What a lab consists of at this moment. */
export interface LabStatus {
  readonly scenario: string;
  readonly kubeconfig: string;
  /** Of the simulated cloud. */
  readonly cloudUrl: string;
  readonly logs: string;
  readonly nodes: readonly {
    readonly instanceId: string;
    readonly name: string;
    readonly nodegroup: string;
    readonly zone: string;
    readonly ip: string;
    readonly version: string;
  }[];
  readonly services: readonly LoadBalancedService[];
}

/** A running lab. */
export interface RunningLab<Service extends LoadBalancedService = LoadBalancedService> {
  /** For clients in the root namespace: the API server at 127.0.0.1. */
  readonly kubeconfigPath: string;
  /** For clients in the namespaces of the control plane and of operations. */
  readonly kubeconfigInsidePath: string;
  readonly scenario: ClusterScenario;
  readonly cloud: LabCloud<Service>;
  /** Environment of a worker inside: where the cloud is and its credentials, KUBECONFIG, TEMPORAL_ADDRESS. */
  readonly opsEnv: Readonly<Record<string, string>>;
  /** Load-balanced Services; filled by `waitForServices`. */
  readonly services: readonly Service[];
  /** Pods see files below it through hostPath volumes; the files outlive the node. */
  readonly sharedFolder: string;
  /** Starts a process in the namespace of nodeferry's worker. It can resolve the load balancers' names; `opsEnv` is part of its environment. */
  spawnInOps(command: string, args: readonly string[], options?: InsideOptions): ChildProcess;
  /** Starts a process in the namespace of the Services' clients. It can resolve the load balancers' names. */
  spawnInClient(command: string, args: readonly string[], options?: InsideOptions): ChildProcess;
  /** Makes a Temporal server in the root namespace reachable at TEMPORAL_ADDRESS inside. Replaces an earlier one. */
  forwardTemporal(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Waits until each load-balanced Service has a load balancer and they are configured as the scenario says. */
  waitForServices(): Promise<readonly Service[]>;
  /** Waits until all pods are ready, all targets are healthy and every address answers; then flushes tracked connections. */
  waitForTraffic(): Promise<readonly Service[]>;
  /** Flushes all tracked connections in all namespaces. Established connections through the load balancers break. */
  flushConntrack(): Promise<void>;
  /** Forgets on every node the connections that nobody has answered: later ones from the same port would meet them. */
  forgetUnanswered(): Promise<void>;
  /** Kills the API server, and starts it again after this time, ms; resolves once it answers. */
  killApiServer(durationMs: number): Promise<void>;
  status(): LabStatus;
  /** Takes everything down; safe to call again. */
  stop(): Promise<void>;
}

/** How a cloud is opened, and how the answers of its nodes reach clients. */
interface CloudOpener<Cloud> {
  readonly returnPath: ReturnPath;
  readonly openCloud: (surroundings: CloudSurroundings) => Promise<Cloud>;
}

/**
 * Starts a lab and resolves when its nodes are ready and its objects applied. Throws `LabInUseError` when there is one already, a `SetupError` when
 * tools are missing, and the signal's reason when it is aborted.
 */
export async function startLabOn<Service extends LoadBalancedService, Cloud extends LabCloud<Service>>(
  scenario: ClusterScenario,
  options: LabOptions,
  { returnPath, openCloud }: CloudOpener<Cloud>,
): Promise<{ readonly lab: RunningLab<Service>; readonly cloud: Cloud }> {
  validScenario(scenario);
  if (process.getuid?.() !== 0) throw new Error('the lab creates namespaces: run it as root');
  assertTools();
  const report = options.onProgress ?? (() => undefined);
  const undo: (() => Promise<unknown> | void)[] = [];
  let lab: RunningLab<Service> | undefined;
  const lock = await takeLock(() => lab?.status());
  let stopped: Promise<void> | undefined;
  const stopLab = (): Promise<void> => {
    stopped ??= undoAll([() => lock.release(), ...undo], report);
    return stopped;
  };
  try {
    const cluster = await startCluster({
      tools: toolPaths(),
      returnPath,
      openCloud,
      signal: options.signal,
      report,
      undo,
    });
    await populate(cluster, scenario, options.signal, report);
    lab = createLab<Service, Cloud>(cluster, scenario, undo, options, stopLab);
    return { lab, cloud: cluster.cloud };
  } catch (error) {
    await stopLab();
    throw error;
  }
}

async function populate(
  cluster: Pick<Cluster<unknown>, 'kubeConfig'>,
  scenario: ClusterScenario,
  signal: AbortSignal | undefined,
  report: (text: string) => void,
): Promise<void> {
  const { kubeConfig } = cluster;
  await applyObjects(
    kubeConfig,
    scenario.objects.filter((object) => !needsNodes(object)),
    signal,
  );
  const nodes = scenario.nodegroups.reduce((sum, group) => sum + group.size, 0);
  await nothingMissing(() => missingNodes(kubeConfig, nodes), { timeoutMs: NODES_TIMEOUT_MS, signal, report });
  report(`${nodes} nodes are ready`);
  await applyObjects(kubeConfig, scenario.objects.filter(needsNodes), signal);
}

function createLab<Service extends LoadBalancedService, Cloud extends LabCloud<Service>>(
  cluster: Cluster<Cloud>,
  scenario: ClusterScenario,
  undo: (() => Promise<unknown> | void)[],
  options: LabOptions,
  stopLab: () => Promise<void>,
): RunningLab<Service> {
  const { cloud, kubeConfig, machines } = cluster;
  const report = options.onProgress ?? (() => undefined);
  const opsEnv = {
    ...cloud.environment,
    KUBECONFIG: STATE.kubeconfigInside,
    TEMPORAL_ADDRESS: `127.0.0.1:${TEMPORAL_PORT_INSIDE}`,
  };
  let services: readonly Service[] = [];
  let temporal: Forward | undefined;
  let temporalInside: ChildProcess | undefined;
  undo.push(async () => temporal?.close());

  const spawnIn = (
    namespace: string,
    command: string,
    args: readonly string[],
    inside: InsideOptions,
  ): ChildProcess => {
    const child = start(...withNames(command, args), { ...inside, namespace });
    undo.push(() => stop(child, 0));
    return child;
  };

  const { client, operations, loadBalancer, controlPlane } = NAMESPACES;
  const flush = () => flushConntrack([client, operations, loadBalancer, controlPlane, ...machines.namespaces()]);

  const waitForServices = async (): Promise<readonly Service[]> => {
    const wait = { timeoutMs: SERVICES_TIMEOUT_MS, signal: options.signal, report };
    await nothingMissing(async () => {
      const found = await findServices<Service>(kubeConfig, cloud);
      services = found.services;
      return found.missing;
    }, wait);
    await cloud.configure(services);
    return services;
  };

  return {
    kubeconfigPath: STATE.kubeconfig,
    kubeconfigInsidePath: STATE.kubeconfigInside,
    scenario,
    cloud,
    opsEnv,
    get services() {
      return services;
    },
    sharedFolder: STATE.shared,
    spawnInOps: (command, args, inside = {}) => {
      const env = { ...process.env, ...opsEnv, ...inside.env };
      return spawnIn(NAMESPACES.operations, command, args, { ...inside, env });
    },
    spawnInClient: (command, args, inside = {}) => spawnIn(NAMESPACES.client, command, args, inside),
    forwardTemporal: async (address) => {
      await temporal?.close();
      temporal = await forwardFromSocket(STATE.temporalSocket, address);
      temporalInside ??= portToSocket(
        NAMESPACES.operations,
        TEMPORAL_PORT_INSIDE,
        STATE.temporalSocket,
        logFile('forward'),
      );
    },
    waitForServices,
    waitForTraffic: async () => {
      await waitForServices();
      report('the load balancers exist');
      const wait = { timeoutMs: SERVICES_TIMEOUT_MS, signal: options.signal, report };
      await nothingMissing(() => missingPods(kubeConfig), wait);
      report('all pods are ready');
      await nothingMissing(() => missingTargets<Service>(kubeConfig, cloud, services), wait);
      await nothingMissing(() => missingAnswers(services), wait);
      await flush();
      report('all targets are healthy and every address answers');
      return services;
    },
    flushConntrack: flush,
    forgetUnanswered: () => forgetUnanswered(machines.namespaces()),
    killApiServer: (durationMs) => cluster.killApiServer(durationMs),
    status: () => ({
      scenario: scenario.name,
      kubeconfig: STATE.kubeconfig,
      cloudUrl: cloud.url,
      logs: STATE.logs,
      nodes: machines.list().map(({ instance }) => ({
        instanceId: instance.instanceId,
        name: instance.privateDnsName,
        nodegroup: instance.nodegroup,
        zone: instance.zone,
        ip: instance.privateIp,
        version: instance.kubernetesVersion,
      })),
      services,
    }),
    stop: stopLab,
  };
}

/** Waits until a check finds nothing missing; the error at the deadline lists what still was. */
async function nothingMissing(
  check: () => Promise<Missing>,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly report: (text: string) => void;
  },
): Promise<void> {
  let toldMs = Date.now();
  await until(
    async () => {
      const missing = await check();
      if (missing.length === 0) return true;
      if (Date.now() - toldMs >= REPORT_MISSING_EVERY_MS) {
        options.report(`still waiting: ${missing.join('; ')}`);
        toldMs = Date.now();
      }
      throw new Error(missing.join('; '));
    },
    { ...options, what: 'the lab is not ready', everyMs: 250 },
  );
}

/** Undoes in reverse order; a step that fails is reported and does not keep the others from running. */
async function undoAll(
  undo: readonly (() => Promise<unknown> | void)[],
  report: (text: string) => void,
): Promise<void> {
  for (const step of undo.toReversed()) {
    try {
      await step();
    } catch (error) {
      report(`while stopping: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
