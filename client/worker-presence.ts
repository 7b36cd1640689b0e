import type { TemporalConnection } from './connect.ts';

/** Temporal's number for a task queue of workflows, temporal.api.enums.v1.TaskQueueType. */
const workflowTaskQueue = 1;

/**
 * Whether any worker has asked this task queue for work lately. The server remembers one for five minutes after its last poll
 * (matching.pollerHistoryTTL in temporalio/temporal), so a worker that has just died still counts; none means none.
 */
export async function isPolled(connection: TemporalConnection, taskQueue: string): Promise<boolean> {
  const { client, namespace } = connection;
  const { pollers } = await connection.within(() =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowTaskQueue,
    }),
  );
  return pollers.length > 0;
}
