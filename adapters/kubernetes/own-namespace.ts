import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';

const preferredNamespace = 'nodeferry';
const fallbackNamespace = 'default';

/** The namespace of nodeferry's own objects: locks, and what it has learned. */
export type OwnNamespace = () => Promise<string>;

/** The namespace is the given one, else `nodeferry` when that exists, else `default`. It is looked up once. */
export function ownNamespace(connection: Connection, given: string | undefined): OwnNamespace {
  let resolved: Promise<string> | undefined;
  return async () => {
    resolved ??= resolveNamespace(connection, given).catch((error: unknown) => {
      resolved = undefined;
      throw error;
    });
    return await resolved;
  };
}

async function resolveNamespace(connection: Connection, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const answer = await connection.request({ resource: 'namespaces', verb: 'get', name: preferredNamespace });
  if (answer.status === 200) return preferredNamespace;
  if (answer.status === 404) return fallbackNamespace;
  throw answerError(answer, { resource: 'namespaces', verb: 'get' });
}
