import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { StepProgress } from '../core/status/progress.ts';
import type { TrafficCounts, Waiting } from '../core/status/status.ts';

/**
 * What running activities say of themselves in their heartbeats. Steps are durable workflow state; the finer progress
 * (which pod, which budget, needs and has) changes every few seconds and would only fill the history.
 */
export interface LiveDetail {
  readonly waiting: Waiting | undefined;
  readonly traffic: TrafficCounts | undefined;
}

/** Reads the live detail from a workflow's description; a heartbeat of another shape is ignored. */
export function readLiveDetail(description: WorkflowExecutionDescription): LiveDetail {
  let waiting: Waiting | undefined;
  let traffic: TrafficCounts | undefined;
  for (const activity of description.raw.pendingActivities ?? []) {
    const payload = activity.heartbeatDetails?.payloads?.[0];
    if (!payload) continue;
    const detail: unknown = defaultPayloadConverter.fromPayload(payload);
    if (!isProgress(detail)) continue;
    if (detail.traffic) traffic = detail.traffic;
    else waiting = waitingOf(detail);
  }
  return { waiting, traffic };
}

function waitingOf(progress: StepProgress): Waiting {
  const { reason, since, until, blocked } = progress;
  return { on: reason, since, until, ...(blocked && blocked.length > 0 ? { blocked } : {}) };
}

function isProgress(value: unknown): value is StepProgress {
  if (typeof value !== 'object' || value === null) return false;
  return 'reason' in value && typeof value.reason === 'string' && 'since' in value && typeof value.since === 'number';
}
