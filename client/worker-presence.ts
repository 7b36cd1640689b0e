import type { TemporalConnection } from './connect.ts';

/** Temporal's number for a task queue of workflows, temporal.api.enums.v1.TaskQueueType. */
const workflowTaskQueue = 1;

/**
 * Whether any worker has polled this task queue lately. The server remembers a worker for five minutes after its last poll
 * (matching.pollerHistoryTTL in temporalio/temporal), so a worker that has just died still counts. None means that there is no worker.
 */
export async function isPolled(connection: TemporalConnection, taskQueue: string): Promise<boolean> {
  return (await readPollers(connection, taskQueue)).length > 0;
}

/** The identities of the workers that have polled this task queue lately. */
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
