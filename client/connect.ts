import { hostname, userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { findEndpointFault } from '../adapters/endpoint/find-fault.ts';
import { loadPayloadCodecs, type PayloadCodec, payloadCodecVariable } from '../adapters/payload-codecs/load.ts';
import {
  defaultTemporalPort,
  type EndpointFault,
  explainAddress,
  explainConnection,
  explainRefusal,
  explainSettings,
  unknownEncoding,
  unknownNamespace,
} from '../core/connection/explain-connection.ts';
import { NodeferryError, type Problem } from '../core/model/problem.ts';

/** How long the CLI waits for an answer from Temporal before it gives up, ms. */
const answerTimeoutMs = 10_000;

/** How long the first connection may take, ms. */
const connectTimeoutMs = 4000;

/** A connected client with a limit on how long every call may take. */
export interface TemporalConnection {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Runs a call with a deadline, so that a server or worker that does not answer becomes an error instead of silence. */
  within<T>(call: () => Promise<T>, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

/**
 * Connects as the `temporal` CLI does: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_*, TEMPORAL_PROFILE and the same TOML
 * file.
 * @throws NodeferryError InvalidArgument when these or the payload codec cannot be read, TemporalUnreachable with the cause as far as it is known
 */
export async function connectTemporal(withinMs = connectTimeoutMs): Promise<TemporalConnection> {
  const config = readSettings();
  const address = config.connectionOptions.address ?? `localhost:${defaultTemporalPort}`;
  const problem = explainAddress(address);
  if (problem !== undefined) throw new NodeferryError(problem);
  const payloadCodecs = await loadPayloadCodecs(process.env[payloadCodecVariable]);
  return connectTemporalAt(
    { ...config.connectionOptions, address, namespace: config.namespace ?? 'default', payloadCodecs },
    withinMs,
  );
}

function readSettings(): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig();
  } catch (cause) {
    throw new NodeferryError(explainSettings(textOf(cause)), { cause });
  }
}

/** Where a Temporal server is, and the namespace to work in. */
interface TemporalPlace extends ConnectionOptions {
  readonly address: string;
  readonly namespace: string;
  /** The codecs of all payloads; none unless given. */
  readonly payloadCodecs?: PayloadCodec[];
}

/** The same as connectTemporal for a server whose address is given. */
export async function connectTemporalAt(
  { namespace, payloadCodecs = [], ...place }: TemporalPlace,
  withinMs = connectTimeoutMs,
): Promise<TemporalConnection> {
  // Loaded on demand: help, version and bad input must not pay for the gRPC stack.
  const { Client, Connection } = await import('@temporalio/client');
  const { address } = place;
  const connection = Connection.lazy({ ...place, connectTimeout: withinMs });
  const found = new AbortController();
  // The cause is searched for while the SDK keeps trying, which takes as long as it is allowed to.
  const fault = delay(withinMs / 8, undefined, { signal: found.signal, ref: false })
    .then(async () => await findEndpointFault(place, withinMs / 2))
    .catch(() => undefined);
  try {
    await Promise.race([connection.ensureConnected(), failOnceCertain(fault)]);
  } catch (cause) {
    await connection.close();
    const refused = explainCall(cause, { address, namespace });
    throw new NodeferryError(refused ?? explainConnection(address, await fault, textOf(cause)), { cause });
  } finally {
    found.abort();
  }
  const client = new Client({ connection, namespace, dataConverter: { payloadCodecs } });
  return {
    client,
    address,
    namespace,
    within: async (call, timeoutMs = answerTimeoutMs) => {
      try {
        return await connection.withDeadline(Date.now() + timeoutMs, call);
      } catch (cause) {
        const problem = explainCall(cause, { address, namespace });
        throw problem === undefined ? cause : new NodeferryError(problem, { cause });
      }
    },
    close: () => connection.close(),
  };
}

/** Rejects when the cause is one that trying again does not change. A server that is slow, or not routed to yet, keeps the whole time. */
async function failOnceCertain(search: Promise<EndpointFault | undefined>): Promise<never> {
  const fault = await search;
  if (fault !== undefined && fault.kind !== 'silent' && fault.kind !== 'unreachable') throw new Error(fault.detail);
  return await new Promise<never>(() => undefined);
}

/** What a failed call says about the configuration of this process. The SDK puts the server's own answer into the chain of causes. */
function explainCall(
  error: unknown,
  place: { readonly address: string; readonly namespace: string },
): Problem | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NodeferryError) return cause.problem;
    // Thrown by the SDK's converter, CompositePayloadConverter in @temporalio/common.
    const encoding = /^Unknown encoding: (.+)$/.exec(cause.message)?.[1];
    if (cause.name === 'ValueError' && encoding !== undefined) return unknownEncoding(place.namespace, encoding);
    if (cause.name === 'NamespaceNotFoundError') return unknownNamespace(place.address, place.namespace);
    if (!('code' in cause) || typeof cause.code !== 'number') continue;
    return explainRefusal(place, {
      code: cause.code,
      details: 'details' in cause ? String(cause.details) : cause.message,
    });
  }
  return undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Who gives the command, for the audit trail: NODEFERRY_USER or `user@host`. */
export function operatorName(env: NodeJS.ProcessEnv = process.env, readUser = () => userInfo().username): string {
  return env['NODEFERRY_USER'] ?? `${userName(readUser)}@${hostname()}`;
}

/** A container may run with a user ID that has no name (Node.js, os.userInfo: throws a SystemError then). */
function userName(readUser: () => string): string {
  try {
    return readUser();
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
