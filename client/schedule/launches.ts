import { type ScheduleExecutionResult, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { LauncherResult } from '../../workflows/launcher-messages.ts';
import type { TemporalConnection } from '../connect.ts';

/** What became of a launch: `started` an upgrade, which was completed; or `skipped`, because there was nothing to start. */
type LaunchOutcome =
  | 'running'
  | 'started'
  | 'skipped'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed-out'
  | 'unknown';

/** A launch of a schedule, and how it ended. */
export interface Launch {
  /** Epoch ms of the opening that it belongs to, or of the command that triggered it. */
  readonly at: number;
  readonly workflowId: string;
  readonly outcome: LaunchOutcome;
  /** Why it ended like this; empty while it runs. */
  readonly detail: string;
}

/** The most launches that are read; Temporal keeps ten. */
const maxLaunches = 5;

/** Reads how the last launches of a schedule ended, the latest first. No worker is needed. */
export async function readLaunches(
  connection: TemporalConnection,
  actions: readonly ScheduleExecutionResult[],
): Promise<readonly Launch[]> {
  const latest = actions.toSorted((a, b) => b.takenAt.getTime() - a.takenAt.getTime()).slice(0, maxLaunches);
  return await Promise.all(
    latest.map(async ({ scheduledAt, action: { workflow } }) => ({
      at: scheduledAt.getTime(),
      workflowId: workflow.workflowId,
      ...(await readEnd(connection, workflow)),
    })),
  );
}

const closedStates: Readonly<Record<string, LaunchOutcome>> = {
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
};

async function readEnd(
  connection: TemporalConnection,
  { workflowId, firstExecutionRunId }: { readonly workflowId: string; readonly firstExecutionRunId: string },
): Promise<Pick<Launch, 'outcome' | 'detail'>> {
  const handle = connection.client.workflow.getHandle(workflowId, firstExecutionRunId);
  try {
    const { status } = await connection.within(() => handle.describe());
    if (status.name === 'RUNNING') return { outcome: 'running', detail: '' };
    const closed = closedStates[status.name];
    if (closed !== undefined) return { outcome: closed, detail: '' };
    const { started, reason } = await connection.within(async () => (await handle.result()) as LauncherResult);
    return { outcome: started ? 'started' : 'skipped', detail: reason };
  } catch (error) {
    if (error instanceof WorkflowFailedError)
      return { outcome: 'failed', detail: error.cause?.message ?? error.message };
    // Temporal deletes the history of a workflow after the retention period of its namespace.
    if (error instanceof WorkflowNotFoundError) return { outcome: 'unknown', detail: 'its history was deleted' };
    throw error;
  }
}
