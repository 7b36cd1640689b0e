import type { compute_v1 } from '@googleapis/compute';
import { once } from '../calls/once.ts';
import { authClientOf, type GcpOptions } from './options.ts';
import { callRepeatedly, type RetryTiming } from './retry.ts';

/** What calls of Compute Engine need. */
export interface ComputeClient extends RetryTiming {
  readonly project: string;
  compute(): Promise<compute_v1.Compute>;
}

/** Longest time for one call, ms, where the options name none. */
export const defaultCallTimeoutMs = 15_000;

/** A client that is loaded when it is used for the first time. */
export function createComputeClient(options: GcpOptions): ComputeClient {
  return {
    clock: options.clock,
    maxAttempts: options.maxAttempts ?? 5,
    project: options.project,
    compute: once(async () => await loadCompute(options)),
  };
}

/** Its own retries are off: they leave out 403 `rateLimitExceeded` and every POST. */
async function loadCompute(options: GcpOptions): Promise<compute_v1.Compute> {
  const { compute } = await import('@googleapis/compute');
  const { computeUrl, callTimeoutMs: timeout = defaultCallTimeoutMs } = options;
  // The package has a copy of the types of google-auth-library; only one of that library is installed.
  const auth = (await authClientOf(options)) as never;
  return compute({ version: 'v1', auth, retry: false, timeout, ...(computeUrl && { rootUrl: computeUrl }) });
}

/** Calls Compute Engine with something that may be repeated: a read, or a change with a request ID. */
export async function callCompute<T>(
  client: ComputeClient,
  permission: string,
  subject: string,
  send: (compute: compute_v1.Compute) => Promise<{ readonly data: T }>,
): Promise<T> {
  const compute = await client.compute();
  return await callRepeatedly(
    client,
    { permission, subject, project: client.project },
    async () => (await send(compute)).data,
  );
}

/** Reads all pages of a list. */
export async function allPages<T>(
  read: (pageToken: string | undefined) => Promise<{ items?: T[] | undefined; next?: string | null | undefined }>,
): Promise<T[]> {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const { items = [], next } = await read(token);
    found.push(...items);
    token = next ?? undefined;
  } while (token !== undefined && token !== '');
  return found;
}
