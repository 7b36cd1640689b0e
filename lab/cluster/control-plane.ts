/** etcd, API server, controller manager and scheduler, tuned for a host with few cores. */

import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import { ADDRESSES, NAMESPACES, SERVICE_CIDR } from '../network-plan.ts';
import { isRunning, StopWaiting, start, until } from '../process.ts';
import { API_SERVER_NAME, type Credentials } from './kubeconfig.ts';
import { logFile, STATE } from './state.ts';

const READY_TIMEOUT_MS = 90_000;

/**
 * Controllers that the lab's objects and nodeferry need, by name (kubernetes cmd/kube-controller-manager/names/controller_names.go). Those of the
 * cloud run in the cloud controller manager.
 */
const CONTROLLERS = [
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'statefulset-controller',
  'taint-eviction-controller',
] as const;

/** A process of the control plane. */
export interface ControlPlaneProcess {
  readonly name: string;
  readonly child: ChildProcess;
}

const ETCD_CLIENTS = 'http://127.0.0.1:2379';

/** Starts etcd. It and the API server may come up in any order. */
export function startEtcd(tools: ToolPaths): ControlPlaneProcess {
  return component('etcd', tools.etcd, [
    `--data-dir=${STATE.etcd}`,
    `--listen-client-urls=${ETCD_CLIENTS}`,
    `--advertise-client-urls=${ETCD_CLIENTS}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    `--initial-cluster-token=${randomUUID()}`,
    // The data need not survive the lab.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]);
}

/** Starts the API server, also again after it has ended, with the same certificates and the same etcd. */
export function startApiServer(tools: ToolPaths, credentials: Credentials): ControlPlaneProcess {
  return component('kube-apiserver', tools.kubeApiserver, [
    `--etcd-servers=${ETCD_CLIENTS}`,
    `--bind-address=${ADDRESSES.controlPlane}`,
    `--advertise-address=${ADDRESSES.controlPlane}`,
    '--secure-port=6443',
    `--cert-dir=${credentials.certificateFolder}`,
    `--token-auth-file=${credentials.tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${credentials.signingKey}`,
    `--service-account-key-file=${credentials.verificationKey}`,
    `--service-cluster-ip-range=${SERVICE_CIDR}`,
    // Pods of the lab have no service accounts, because none of them uses the API.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    '--endpoint-reconciler-type=none',
    '--profiling=false',
  ]);
}

/** Starts the components that act on objects; needs an API server that answers. */
export function startControllers(
  tools: ToolPaths,
  kubeconfig: string,
  credentials: Credentials,
): readonly ControlPlaneProcess[] {
  return [
    component('kube-controller-manager', tools.kubeControllerManager, [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${credentials.signingKey}`,
      `--controllers=${CONTROLLERS.join(',')}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      '--node-monitor-grace-period=40s',
      '--bind-address=127.0.0.1',
      '--profiling=false',
    ]),
    component('kube-scheduler', tools.kubeScheduler, [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--profiling=false',
    ]),
  ];
}

/**
 * Waits until the API server is ready and resolves with its certificate authority (PEM).
 *
 * @param port of 127.0.0.1 that leads to it.
 */
export async function awaitApiServer(
  port: number,
  credentials: Credentials,
  processes: readonly ControlPlaneProcess[],
  signal: AbortSignal | undefined,
): Promise<string> {
  return until(
    async () => {
      const dead = processes.find(({ child }) => !isRunning(child));
      if (dead !== undefined) throw new StopWaiting(`${dead.name} has ended: see ${logFile(dead.name)}`);
      if (!existsSync(credentials.certificate)) return undefined;
      const authority = await readFile(credentials.certificate, 'utf8');
      return (await isReady(port, authority, credentials.adminToken)) ? authority : undefined;
    },
    { what: 'the API server is not ready', timeoutMs: READY_TIMEOUT_MS, everyMs: 100, signal },
  );
}

function component(name: string, command: string, args: readonly string[]): ControlPlaneProcess {
  return { name, child: start(command, args, { namespace: NAMESPACES.controlPlane, log: logFile(name) }) };
}

function isReady(port: number, authority: string, token: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        ca: authority,
        servername: API_SERVER_NAME,
        headers: { authorization: `Bearer ${token}` },
        timeout: 2_000,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer within 2 s')));
    call.on('error', reject);
    call.end();
  });
}
