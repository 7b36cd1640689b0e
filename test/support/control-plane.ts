/**
 * A real etcd and kube-apiserver (and, when asked for, kube-controller-manager) on free ports of 127.0.0.1 and in a
 * folder of their own. Needs no root and no nodes: tests write Node, Pod and EndpointSlice objects themselves.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePorts } from '../../lab/free-ports.ts';
import { ended } from '../../lab/process.ts';
import { assertTools, type ToolPaths, toolPaths } from '../../scripts/setup/paths.ts';
import { freeze } from './freeze.ts';

/** Who a kubeconfig of the control plane signs in as: everything allowed, or what deploy/rbac allows. */
type ControlPlaneUser = 'admin' | 'nodeferry';

/** A running control plane. */
export interface ControlPlane {
  /** Folder with its data, logs and kubeconfigs; removed by stop(). */
  readonly directory: string;
  readonly port: number;
  kubeconfig(user: ControlPlaneUser): string;
  /** Sends a request as admin and returns the parsed answer. Throws unless the answer is 2xx. */
  api<T = unknown>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** Runs kubectl as admin, feeds it the input and returns what it prints. */
  kubectl(args: readonly string[], input?: string): string;
  /** Kills the API server, as a crash would. */
  killApiServer(): Promise<void>;
  /** Starts the API server again on the same port and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Stops the API server's process without ending it: connections stay open and nobody answers. */
  freezeApiServer(): Promise<void>;
  thawApiServer(): void;
  /** Drops etcd's history up to now, so that a watch from an earlier resourceVersion is answered with 410 Gone. */
  compactHistory(): Promise<void>;
  stop(): Promise<void>;
}

/** User name that deploy/rbac gives its permissions to. */
const nodeferryUser = 'system:serviceaccount:nodeferry:nodeferry';

const readyWithinMs = 60_000;

/**
 * Starts a control plane whose API server authorizes by RBAC.
 * `controllers` are names of controllers that the controller manager shall run; without any it is not started.
 */
export async function startControlPlane(
  options: { readonly controllers?: readonly string[] } = {},
): Promise<ControlPlane> {
  assertTools();
  const tools = toolPaths();
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-control-plane-'));
  const [port, etcdPort, peerPort] = await freePorts(3);
  if (port === undefined || etcdPort === undefined || peerPort === undefined) throw new Error('No free port.');
  writeCredentials(directory, port);
  const children = new Set<ChildProcess>();
  let apiServer: ChildProcess | undefined;

  const etcd = `http://127.0.0.1:${etcdPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  launch('etcd', tools.etcd, [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ]);

  function launch(name: string, command: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(directory, `${name}.log`), 'a');
    // The parent-death signal keeps a killed test run from leaving a control plane behind.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { stdio: ['ignore', log, log] });
    closeSync(log);
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function startApiServer(): Promise<void> {
    apiServer = launch('kube-apiserver', tools.kubeApiserver, apiServerFlags(directory, port ?? 0, etcd));
    await untilReady(apiServer, tools, directory);
  }

  async function stop(): Promise<void> {
    await Promise.all([...children].map((child) => end(child)));
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    await startApiServer();
    if (options.controllers !== undefined) {
      launch('kube-controller-manager', tools.kubeControllerManager, [
        `--kubeconfig=${join(directory, 'admin.kubeconfig')}`,
        `--controllers=${options.controllers.join(',')}`,
        '--leader-elect=false',
        '--secure-port=0',
      ]);
    }
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    directory,
    port,
    kubeconfig: (user) => join(directory, `${user}.kubeconfig`),
    api: async (method, path, body) => JSON.parse(await callApi(port, method, path, body)),
    kubectl: (args, input) => runKubectl(tools, directory, args, input),
    killApiServer: async () => {
      if (apiServer !== undefined) await end(apiServer);
    },
    startApiServer,
    freezeApiServer: async () => {
      if (apiServer !== undefined) await freeze(apiServer);
    },
    thawApiServer: () => void apiServer?.kill('SIGCONT'),
    compactHistory: () => compactHistory(etcd),
    stop,
  };
}

function apiServerFlags(directory: string, port: number, etcd: string): string[] {
  return [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(directory, 'certificates')}`,
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://nodeferry.test',
    `--service-account-signing-key-file=${join(directory, 'service-account.key')}`,
    `--service-account-key-file=${join(directory, 'service-account.pub')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
    '--shutdown-delay-duration=0s',
  ];
}

function writeCredentials(directory: string, port: number): void {
  const key = join(directory, 'service-account.key');
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' });
  execFileSync('openssl', ['rsa', '-in', key, '-pubout', '-out', join(directory, 'service-account.pub')], {
    stdio: 'ignore',
  });
  const tokens = [`admin-token,admin,admin,"system:masters"`, `nodeferry-token,${nodeferryUser},nodeferry`];
  writeFileSync(join(directory, 'tokens.csv'), `${tokens.join('\n')}\n`, { mode: 0o600 });
  for (const user of ['admin', 'nodeferry'] as const) {
    writeFileSync(join(directory, `${user}.kubeconfig`), kubeconfigText(port, `${user}-token`), { mode: 0o600 });
  }
}

/** A kubeconfig for the API server on that port; JSON is YAML. */
function kubeconfigText(port: number, token: string): string {
  const server = `https://127.0.0.1:${port}`;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

function callApi(port: number, method: string, path: string, body: unknown): Promise<string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { Authorization: 'Bearer admin-token', 'Content-Type': type };
  return new Promise((resolve, reject) => {
    const request = https.request({ host: '127.0.0.1', port, method, path, headers, rejectUnauthorized: false });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${path} answered ${statusCode}: ${text}`));
      });
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function runKubectl(tools: ToolPaths, directory: string, args: readonly string[], input?: string): string {
  return execFileSync(tools.kubectl, ['--kubeconfig', join(directory, 'admin.kubeconfig'), ...args], {
    encoding: 'utf8',
    input: input ?? '',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function untilReady(apiServer: ChildProcess, tools: ToolPaths, directory: string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    try {
      runKubectl(tools, directory, ['get', '--raw', '/readyz']);
      return;
    } catch (error) {
      if (apiServer.exitCode !== null || Date.now() > deadline) {
        const log = readFileSync(join(directory, 'kube-apiserver.log'), 'utf8').slice(-3000);
        throw new Error(`The API server did not become ready:\n${log}`, { cause: error });
      }
      await delay(100);
    }
  }
}

/** By etcd's JSON gateway (etcd docs, dev-guide/api_grpc_gateway): a range request answers with the current revision. */
async function compactHistory(etcd: string): Promise<void> {
  const call = async (path: string, body: object) => {
    const answer = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status} to ${path}: ${await answer.text()}`);
    return (await answer.json()) as { readonly header: { readonly revision: string } };
  };
  const { header } = await call('range', { key: 'AA==' });
  await call('compaction', { revision: header.revision, physical: true });
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}
