import type { ClusterManagerClient } from '@google-cloud/container';
import type { compute_v1 } from '@googleapis/compute';
import { authClientOf, type GcpOptions } from '../gcp/options.ts';
import { callOnce, callRepeatedly, type RetryTiming } from '../gcp/retry.ts';

/** How long changes of node pools are waited for, and how often they are checked. */
interface OperationTiming {
  readonly pollIntervalMs: number;
  /** Longest wait for an operation, ours or somebody else's. */
  readonly operationTimeoutMs: number;
}

/** What all calls need. */
export interface GkeClients extends RetryTiming, OperationTiming {
  readonly project: string;
  readonly callTimeoutMs: number;
  gke(): Promise<ClusterManagerClient>;
  compute(): Promise<compute_v1.Compute>;
}

/** Clients that are loaded when they are used for the first time: both packages together take half a second of CPU. */
export function createClients(options: GcpOptions, timing: OperationTiming): GkeClients {
  const callTimeoutMs = options.callTimeoutMs ?? 15_000;
  return {
    ...timing,
    clock: options.clock,
    maxAttempts: options.maxAttempts ?? 5,
    project: options.project,
    callTimeoutMs,
    gke: once(async () => await createGke(options)),
    compute: once(async () => await createCompute(options, callTimeoutMs)),
  };
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return async () => {
    created ??= create();
    try {
      return await created;
    } catch (error) {
      created = undefined;
      throw error;
    }
  };
}

async function createGke(options: GcpOptions): Promise<ClusterManagerClient> {
  const { ClusterManagerClient } = await import('@google-cloud/container');
  const { gkeEndpoint } = options;
  return new ClusterManagerClient({
    projectId: options.project,
    authClient: await authClientOf(options),
    ...(gkeEndpoint && { apiEndpoint: gkeEndpoint.host, port: gkeEndpoint.port }),
  });
}

/** Its own retries are off: they leave out 403 `rateLimitExceeded` and every POST. */
async function createCompute(options: GcpOptions, timeout: number): Promise<compute_v1.Compute> {
  const { compute } = await import('@googleapis/compute');
  const { computeUrl } = options;
  // The package has a copy of the types of google-auth-library; only one of that library is installed.
  const auth = (await authClientOf(options)) as never;
  return compute({ version: 'v1', auth, retry: false, timeout, ...(computeUrl && { rootUrl: computeUrl }) });
}

/** Options of one call. Without a time-out the client repeats a call for ten minutes. */
interface CallOptions {
  readonly timeout: number;
}

type SendGke<T> = (gke: ClusterManagerClient, options: CallOptions) => Promise<readonly [T, ...unknown[]]>;

/** Asks GKE for something. The permission is the one that allows it. */
export async function readGke<T>(
  clients: GkeClients,
  permission: string,
  subject: string,
  send: SendGke<T>,
): Promise<T> {
  const gke = await clients.gke();
  const attempt = async () => (await send(gke, { timeout: clients.callTimeoutMs }))[0];
  return await callRepeatedly(clients, { permission, subject }, attempt);
}

/** Asks GKE to change something, once: GKE knows no request IDs, so whoever repeats it has to check first whether it has taken effect. */
export async function changeGke<T>(
  clients: GkeClients,
  permission: string,
  subject: string,
  send: SendGke<T>,
): Promise<T> {
  const gke = await clients.gke();
  const attempt = async () => (await send(gke, { timeout: clients.callTimeoutMs }))[0];
  return await callOnce({ permission, subject }, attempt);
}

/** Calls Compute Engine with something that may be repeated: a read, or a change with a request ID. */
export async function callCompute<T>(
  clients: GkeClients,
  permission: string,
  subject: string,
  send: (compute: compute_v1.Compute) => Promise<{ readonly data: T }>,
): Promise<T> {
  const compute = await clients.compute();
  return await callRepeatedly(clients, { permission, subject }, async () => (await send(compute)).data);
}
