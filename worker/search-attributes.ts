import type { NativeConnection } from '@temporalio/worker';
import { explainRefusal } from '../core/connection/explain-connection.ts';
import { registrationCommand } from '../core/connection/register-attributes.ts';
import { NodeferryError, type Problem } from '../core/model/problem.ts';
import { searchAttributes } from '../workflows/messages.ts';

/** A namespace of a Temporal server. */
interface TemporalNamespace {
  readonly address: string;
  readonly namespace: string;
}

/**
 * Checks that the namespace has the search attributes: a workflow that sets an unknown one makes no progress. @throws NodeferryError InvalidArgument
 * with the command that registers them, or when there is no such namespace; Forbidden
 */
export async function requireSearchAttributes(connection: NativeConnection, place: TemporalNamespace): Promise<void> {
  const { namespace } = place;
  const { customAttributes } = await listed(connection, place);
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: `namespace ${namespace} does not know the search attributes ${missing.map(({ name }) => name).join(', ')}`,
    hint: `Run: ${registrationCommand(place, missing)}`,
  });
}

async function listed(connection: NativeConnection, place: TemporalNamespace) {
  try {
    return await connection.operatorService.listSearchAttributes({ namespace: place.namespace });
  } catch (cause) {
    const problem = explainCall(cause, place);
    throw problem === undefined ? cause : new NodeferryError(problem, { cause });
  }
}

/** Calls fail with the server's own status, which may not be an Error. */
function explainCall(cause: unknown, place: TemporalNamespace): Problem | undefined {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined;
  const said = 'details' in cause && typeof cause.details === 'string' ? cause.details : '';
  const details = said === '' && 'message' in cause ? String(cause.message) : said;
  return explainRefusal(place, { code: Number(cause.code), details });
}
