import { type WorkflowExecutionDescription, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { beginStatus } from '../core/status/begin-status.ts';
import type { RunReport, RunStatus } from '../core/status/status.ts';
import { type PoolPhase, poolPhases } from '../core/steps/pool-phases.ts';
import { type PoolUpgradeInput, searchAttributes } from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';
import type { SeenRun, WorkflowState } from './view/seen-run.ts';
import { isPolled } from './worker-presence.ts';

/** A run whose workflow has ended. */
export interface ClosedRun {
  readonly status: SeenRun;
  /** Completed, aborted and failed runs leave a report; a terminated run does not. */
  readonly report: RunReport | undefined;
}

/** Temporal's number for "the closing event only", temporal.api.enums.v1.HistoryEventFilterType. */
const closeEvent = 2;

const states: Readonly<Record<string, WorkflowState['state']>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
};

/** Reads a run that has ended from its history. No worker is needed. */
export async function readClosedRun(
  connection: TemporalConnection,
  handle: WorkflowHandle,
  description: WorkflowExecutionDescription,
): Promise<ClosedRun> {
  const state = states[description.status.name] ?? 'terminated';
  const workflow: WorkflowState = { state, closedAt: (description.closeTime ?? new Date()).getTime() };
  const { report, reason } = await readResult(connection, handle, state);
  if (report !== undefined) return { report, status: { ...report, workflow } };
  const known = await lastStatus(connection, handle, description);
  const ended = state === 'terminated' ? await readTermination(connection, description) : {};
  return {
    report,
    status: { ...known, workflow: { ...workflow, ...(reason === undefined ? {} : { reason }), ...ended } },
  };
}

/** The report is the result of a run. For a failed run it is in the failure, together with the problem. */
async function readResult(
  connection: TemporalConnection,
  handle: WorkflowHandle,
  state: WorkflowState['state'],
): Promise<{ report?: RunReport; reason?: string }> {
  if (state !== 'completed' && state !== 'failed') return {};
  try {
    const result: unknown = await connection.within(() => handle.result());
    return isReport(result) ? { report: result } : {};
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const report = cause instanceof ApplicationFailure ? cause.details?.find(isReport) : undefined;
    return { ...(report === undefined ? {} : { report }), reason: cause?.message ?? error.message };
  }
}

function isReport(value: unknown): value is RunReport {
  return typeof value === 'object' && value !== null && 'outcome' in value && 'nodes' in value;
}

async function readTermination(
  connection: TemporalConnection,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<Pick<WorkflowState, 'by' | 'reason'>> {
  const { client, namespace } = connection;
  const execution = { workflowId, runId };
  const { history } = await connection.within(() =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, historyEventFilterType: closeEvent }),
  );
  const ended = history?.events?.at(-1)?.workflowExecutionTerminatedEventAttributes;
  if (!ended) return {};
  return { ...(ended.identity ? { by: ended.identity } : {}), ...(ended.reason ? { reason: ended.reason } : {}) };
}

/** What the run knew last if a worker can replay it. Otherwise what it was started with, and the phase that it last published to Temporal. */
async function lastStatus(
  connection: TemporalConnection,
  handle: WorkflowHandle,
  description: WorkflowExecutionDescription,
): Promise<RunStatus> {
  if (await isPolled(connection, description.taskQueue)) {
    // A worker that has just died, or has other code, cannot replay it.
    const told = await connection.within(() => handle.query<RunStatus>('status')).catch(() => undefined);
    if (told !== undefined) return told;
  }
  const { client, namespace } = connection;
  const { workflowId, runId, startTime } = description;
  const { history } = await connection.within(() =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  if (!payloads?.[0]) throw new Error(`workflow ${workflowId} was started without a policy`);
  const input = await connection.within(() =>
    decodeFromPayloadsAtIndex<PoolUpgradeInput>(client.options.loadedDataConverter, 0, payloads, {
      type: 'workflow',
      namespace,
      workflowId,
    }),
  );
  const phase: unknown = description.typedSearchAttributes.get(searchAttributes.phase);
  const begun = beginStatus({ ...input, workflowId, startedAt: startTime.getTime() });
  return { ...begun, phase: isPhase(phase) ? phase : begun.phase };
}

function isPhase(value: unknown): value is PoolPhase {
  return poolPhases.some(({ id }) => id === value);
}
