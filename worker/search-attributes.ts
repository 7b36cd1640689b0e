import type { NativeConnection } from '@temporalio/worker';
import { NodeferryError } from '../core/model/problem.ts';
import { commandLineType, searchAttributes } from '../workflows/messages.ts';

/**
 * Checks that the namespace knows the search attributes: a workflow that sets an unknown one stands still.
 * @throws NodeferryError Internal with the command that registers them
 */
export async function requireSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  const flags = missing.map(({ name, type }) => `--name ${name} --type ${commandLineType(type)}`);
  throw new NodeferryError({
    code: 'Internal',
    message: `namespace ${namespace} does not know the search attributes ${missing.map(({ name }) => name).join(', ')}`,
    hint: `Run: temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`,
  });
}
