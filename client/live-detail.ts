import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import type { Waiting } from '../core/status/status.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import type { TemporalConnection } from './connect.ts';

/**
 * What running activities report in their heartbeats. Steps are durable workflow state. The details (which pod, which budget, needs and has)
 * change every few seconds and would only fill the history.
 */
interface LiveDetail {
  readonly waiting: Waiting | undefined;
  readonly traffic: TrafficCounts | undefined;
  /** Steps that no worker knows which has received them: the run was started by newer code than the workers have. */
  readonly unknownSteps: readonly string[];
}

/** Reads the live detail from a workflow's description; a heartbeat of another shape is ignored. */
export async function readLiveDetail(
  connection: TemporalConnection,
  description: WorkflowExecutionDescription,
): Promise<LiveDetail> {
  return await connection.within(() => decodeLiveDetail(connection, description));
}

async function decodeLiveDetail(
  { client, namespace }: TemporalConnection,
  { workflowId, raw }: WorkflowExecutionDescription,
): Promise<LiveDetail> {
  const { loadedDataConverter: converter } = client.options;
  let waiting: Waiting | undefined;
  let traffic: TrafficCounts | undefined;
  const unknownSteps: string[] = [];
  for (const activity of raw.pendingActivities ?? []) {
    const { activityId, lastFailure, heartbeatDetails } = activity;
    const context = {
      type: 'activity',
      namespace,
      workflowId,
      ...(activityId && { activityId }),
      isLocal: false,
    } as const;
    const failure = await decodeOptionalFailureToOptionalError(converter, lastFailure, context);
    if (isUnknown(activity, failure)) unknownSteps.push(activity.activityType?.name ?? '');
    const detail: unknown = await decodeFromPayloadsAtIndex(converter, 0, heartbeatDetails?.payloads, context);
    if (!isProgress(detail)) continue;
    if (detail.traffic) traffic = detail.traffic;
    else waiting = waitingOf(detail);
  }
  return { waiting, traffic, unknownSteps };
}

/** Temporal's number for an activity that waits for a worker, temporal.api.enums.v1.PendingActivityState. */
const scheduled = 1;

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/**
 * A worker without such an activity fails it, and Temporal retries it (`is not registered on this Worker` in lib/worker.js of
 * @temporalio/worker), for ever if no worker knows it. Another worker that has it now may know it.
 */
function isUnknown({ state, lastFailure }: PendingActivity, failure: Error | undefined): boolean {
  const type = lastFailure?.applicationFailureInfo?.type;
  return (
    state === scheduled && type === 'NotFoundError' && /is not registered on this Worker/.test(failure?.message ?? '')
  );
}

/** What a run waits for: as the run reports it, as its step reports it, or for a worker that knows the step. `since` is epoch ms. */
export function explainWaiting(live: LiveDetail, known: Waiting | undefined, since: number): Waiting | undefined {
  if (live.unknownSteps.length === 0) {
    // Only the run knows what would end the wait earlier.
    return live.waiting === undefined || known?.action === undefined
      ? (live.waiting ?? known)
      : { action: known.action, ...live.waiting };
  }
  return {
    for: `a worker that knows ${live.unknownSteps.join(', ')}: those that took it do not`,
    since: known?.since ?? since,
    until: undefined,
    action: 'updating all workers to the version of the newest',
  };
}

function waitingOf(progress: Heartbeat): Waiting {
  const { reason, since, until, blocked, remedy } = progress;
  return {
    for: reason,
    since,
    until,
    ...(blocked && blocked.length > 0 ? { blocked } : {}),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function isProgress(value: unknown): value is Heartbeat {
  if (typeof value !== 'object' || value === null) return false;
  return 'reason' in value && typeof value.reason === 'string' && 'since' in value && typeof value.since === 'number';
}
