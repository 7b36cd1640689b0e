import { inject, onTestFinished } from 'vitest';
import { connectTemporalAt, type TemporalConnection } from '../../client/connect.ts';
import type { RunTarget } from '../../client/run-target.ts';

/** A connection to the server of the test run as commands have it; virtual time knows nothing of what is asked there. */
export async function connectAsCommandsDo(): Promise<TemporalConnection> {
  const connection = await connectTemporalAt({ address: inject('temporalAddress'), namespace: 'default' });
  onTestFinished(async () => await connection.close());
  return connection;
}

/** Names the run of a pool's workflow as operators do. */
export function targetOf(workflowId: string): RunTarget {
  const [, cluster = '', pool = ''] = workflowId.split('/');
  return { cluster, pool };
}
