import { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Heartbeat } from '../core/status/heartbeat.ts';

/** What a watch had counted when it said something last. */
export type Watched = Required<Pick<Heartbeat, 'traffic' | 'seenAt'>>;

/**
 * What the watch of this step's run said in its last heartbeat; undefined when there is none, or the server can't be asked now. Only the
 * server has it: a watch that is cancelled while it waits to be tried again ends without an answer and without its heartbeat
 * (ActivityTaskCanceled with `ACTIVITY_ID_NOT_STARTED`, service/history in temporalio/temporal).
 */
export async function lastHeartbeatOfWatch(): Promise<Watched | undefined> {
  const { client, info } = Context.current();
  const { workflowId, runId } = info.workflowExecution ?? {};
  if (workflowId === undefined) return undefined;
  try {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    const watch = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'monitorRun');
    const payload = watch?.heartbeatDetails?.payloads?.[0];
    const told: unknown = payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
    return isWatched(told) ? told : undefined;
  } catch {
    return undefined;
  }
}

function isWatched(told: unknown): told is Watched {
  return typeof told === 'object' && told !== null && 'traffic' in told && 'seenAt' in told;
}
