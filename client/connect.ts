import { hostname, userInfo } from 'node:os';
import type { Client, ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NodeferryError } from '../core/model/problem.ts';

/** How long the CLI waits for an answer of Temporal before it says so, ms. */
const answerTimeoutMs = 10_000;

/** How long the first connection may take, ms. */
const connectTimeoutMs = 5000;

/** A connected client with a bound on how long every call may take. */
export interface TemporalConnection {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Runs a call with a deadline, so that a server or worker that is away becomes an error instead of silence. */
  within<T>(call: () => Promise<T>, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

/**
 * Connects as the `temporal` CLI does: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_*,
 * TEMPORAL_PROFILE and the same TOML file.
 * @throws NodeferryError TemporalUnreachable
 */
export async function connectTemporal(): Promise<TemporalConnection> {
  const config = loadClientConnectConfig();
  return connectTemporalAt({
    ...config.connectionOptions,
    address: config.connectionOptions.address ?? 'localhost:7233',
    namespace: config.namespace ?? 'default',
  });
}

/** Where a Temporal server is, and the namespace to work in. */
export interface TemporalPlace extends ConnectionOptions {
  readonly address: string;
  readonly namespace: string;
}

/** Same as connectTemporal for a server that is named outright. */
export async function connectTemporalAt({ namespace, ...place }: TemporalPlace): Promise<TemporalConnection> {
  // Loaded on demand: help, version and bad input must not pay for the gRPC stack.
  const { Client, Connection } = await import('@temporalio/client');
  const { address } = place;
  let connection: Awaited<ReturnType<typeof Connection.connect>>;
  try {
    connection = await Connection.connect({ ...place, connectTimeout: connectTimeoutMs });
  } catch (cause) {
    throw new NodeferryError(
      {
        code: 'TemporalUnreachable',
        message: `No Temporal server answers at ${address}.`,
        hint: 'Start one with `nodeferry dev`, or set TEMPORAL_ADDRESS (and TEMPORAL_NAMESPACE, TEMPORAL_API_KEY or TEMPORAL_TLS_*) as for the temporal CLI.',
      },
      { cause },
    );
  }
  const client = new Client({ connection, namespace });
  return {
    client,
    address,
    namespace,
    within: (call, timeoutMs = answerTimeoutMs) => connection.withDeadline(Date.now() + timeoutMs, call),
    close: () => connection.close(),
  };
}

/** Who gives the command, for the audit trail: NODEFERRY_USER or `user@host`. */
export function operatorName(env: NodeJS.ProcessEnv = process.env): string {
  return env['NODEFERRY_USER'] ?? `${userInfo().username}@${hostname()}`;
}
