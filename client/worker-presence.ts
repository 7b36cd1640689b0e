import type { TemporalConnection } from './connect.ts';

/** Temporal's number for a task queue of workflows, temporal.api.enums.v1.TaskQueueType. */
const workflowTaskQueue = 1;

/**
 * Whether any worker has asked this task queue for work lately. The server remembers one for five minutes after its last poll
 * (matching.pollerHistoryTTL in temporalio/temporal), so a worker that has just died still counts; none means none.
 */
export async function isPolled(connection: TemporalConnection, taskQueue: string): Promise<boolean> {
  return (await readPollers(connection, taskQueue)).length > 0;
}

/** How the workers that have asked this task queue for work lately are known to Temporal. */
export async function readPollers(connection: TemporalConnection, taskQueue: string): Promise<readonly string[]> {
  const { client, namespace } = connection;
  const { pollers } = await connection.within(() =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowTaskQueue,
    }),
  );
  return pollers.map(({ identity }) => identity ?? '');
}
