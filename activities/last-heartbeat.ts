import { Context } from '@temporalio/activity';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Heartbeat } from '../core/status/heartbeat.ts';

/** What a monitor had counted at its last heartbeat. */
export type Watched = Required<Pick<Heartbeat, 'traffic' | 'seenAt'>>;

/**
 * The last heartbeat of the monitor of this step's run; undefined when there is none, or the server can't be asked now. Only the
 * server has it: a monitor that is cancelled while it waits for a retry ends without a result and without its heartbeat
 * (ActivityTaskCanceled with `ACTIVITY_ID_NOT_STARTED`, service/history in temporalio/temporal).
 */
export async function lastHeartbeatOfWatch(): Promise<Watched | undefined> {
  const { client, info } = Context.current();
  const { workflowId, runId } = info.workflowExecution ?? {};
  if (workflowId === undefined) return undefined;
  try {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    const watch = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'monitorRun');
    if (!watch?.activityId) return undefined;
    const told: unknown = await decodeFromPayloadsAtIndex(
      client.options.loadedDataConverter,
      0,
      watch.heartbeatDetails?.payloads,
      { type: 'activity', namespace: info.namespace, workflowId, activityId: watch.activityId, isLocal: false },
    );
    return isWatched(told) ? told : undefined;
  } catch {
    return undefined;
  }
}

function isWatched(told: unknown): told is Watched {
  return typeof told === 'object' && told !== null && 'traffic' in told && 'seenAt' in told;
}
