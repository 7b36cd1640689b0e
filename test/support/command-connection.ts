import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { connectTemporalAt, type TemporalConnection } from '../../client/connect.ts';
import type { RunTarget } from '../../client/run-target.ts';
import { type OperatorRequest, poolUpgradeId, workflowTypes } from '../../workflows/messages.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';

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

/** Starts a run on a task queue that no worker polls. */
export async function startForNobody(connection: TemporalConnection, by: OperatorRequest) {
  const target = { cluster: `sim-${randomUUID()}`, pool: 'web' };
  const policy = { ...scenarioPolicy(), cluster: { name: target.cluster, region: 'eu-west-1' } };
  const handle = await connection.client.workflow.start(workflowTypes.poolUpgrade, {
    workflowId: poolUpgradeId(target.cluster, target.pool),
    taskQueue: `nobody-${randomUUID()}`,
    args: [{ run: 'run-1', policy, ...by }],
  });
  return { target, handle };
}
