import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { connectTemporalAt, type TemporalConnection } from '../../client/connect.ts';
import { searchAttributes } from '../../workflows/messages.ts';

/** Temporal's numbers for the types, temporal.api.enums.v1.IndexedValueType. */
const types = { KEYWORD: 2, BOOL: 5 } as const;

/** How a namespace is that a test has for itself. */
interface NamespaceOptions {
  /** How long it keeps runs that have ended, seconds. */
  readonly retentionSeconds?: number;
  /** Search attributes that it knows, and their types; those of nodeferry unless given. */
  readonly attributes?: Readonly<Record<string, number>>;
}

/** The search attributes of nodeferry, as a server names their types. */
export function ownAttributes(): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.values(searchAttributes).map(({ name, type }) => [name, types[type]]));
}

/** Opens a namespace on the server of the test run that no other test has, with a connection as commands have it. */
export async function openOwnNamespace(options: NamespaceOptions = {}): Promise<TemporalConnection> {
  const { retentionSeconds = 3 * 86_400, attributes = ownAttributes() } = options;
  const namespace = `test-${randomUUID()}`;
  const connection = await connectTemporalAt({ address: inject('temporalAddress'), namespace });
  onTestFinished(async () => await connection.close());
  const { workflowService, connection: services } = connection.client;
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: retentionSeconds as never },
  });
  if (Object.keys(attributes).length > 0)
    await untilKnown(() => services.operatorService.addSearchAttributes({ namespace, searchAttributes: attributes }));
  // Every part of the server learns of a namespace by itself.
  const query = Object.keys(attributes).map((name) => `${name} IS NULL`);
  await untilKnown(() => workflowService.countWorkflowExecutions({ namespace, query: query.join(' AND ') }));
  return connection;
}

async function untilKnown(ask: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
