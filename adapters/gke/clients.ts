import type { ClusterManagerClient } from '@google-cloud/container';
import type { Guarded } from '../../ports/node-pools.ts';
import { once } from '../calls/once.ts';
import { type ComputeClient, createComputeClient, defaultCallTimeoutMs } from '../gcp/compute-client.ts';
import { authClientOf, type GcpOptions } from '../gcp/options.ts';
import { callOnce, callRepeatedly } from '../gcp/retry.ts';

/** How long changes of node pools are waited for, and how often they are checked. */
interface OperationTiming {
  readonly pollIntervalMs: number;
  /** Longest wait for an operation, ours or somebody else's. */
  readonly operationTimeoutMs: number;
}

/** What all calls need. */
export interface GkeClients extends ComputeClient, OperationTiming, Guarded {
  readonly callTimeoutMs: number;
  gke(): Promise<ClusterManagerClient>;
}

/** Clients that are loaded when they are used for the first time: both packages together take half a second of CPU. */
export function createClients(options: GcpOptions, timing: OperationTiming): GkeClients {
  return {
    ...timing,
    ...createComputeClient(options),
    callTimeoutMs: options.callTimeoutMs ?? defaultCallTimeoutMs,
    gke: once(async () => await createGke(options)),
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
  await clients.beforeChange?.();
  const attempt = async () => (await send(gke, { timeout: clients.callTimeoutMs }))[0];
  return await callOnce({ permission, subject }, attempt);
}
