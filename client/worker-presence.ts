import type { TemporalConnection } from './connect.ts';

/** Temporal's numbers for what a task queue carries, temporal.api.enums.v1.TaskQueueType. */
const taskQueueTypes = { workflows: 1, activities: 2 } as const;

/**
 * Whether any worker has polled this task queue lately. The server remembers a worker for five minutes after its last poll
 * (matching.pollerHistoryTTL in temporalio/temporal), so a worker that has just died still counts. None means that there is no worker.
 */
export async function isPolled(connection: TemporalConnection, taskQueue: string): Promise<boolean> {
  return (await readPollers(connection, taskQueue)).length > 0;
}

/** The identities of the workers that have polled this task queue lately, for workflows or for activities. */
export async function readPollers(
  connection: TemporalConnection,
  taskQueue: string,
  type: keyof typeof taskQueueTypes = 'workflows',
): Promise<readonly string[]> {
  const { client, namespace } = connection;
  const { pollers } = await connection.within(() =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: taskQueueTypes[type],
    }),
  );
  return pollers.map(({ identity }) => identity ?? '');
}
