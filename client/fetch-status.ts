import { type WorkflowExecutionDescription, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { NodeferryError } from '../core/model/problem.ts';
import type { NodeStatus, RunReport, RunStatus } from '../core/status/status.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import { isAtRest, stateOfStep } from '../core/steps/steps.ts';
import { type ClosedRun, readClosedRun } from './closed-run.ts';
import type { TemporalConnection } from './connect.ts';
import { findRun } from './find-run.ts';
import { explainWaiting, readLiveDetail } from './live-detail.ts';
import { isNoAnswer, isUnreachable, noTemporal, noWorker } from './no-answer.ts';
import { formatRunTarget, type NamedRun } from './run-target.ts';
import type { SeenRun } from './view/seen-run.ts';
import { isPolled } from './worker-presence.ts';

/** The status of a run, and whether its workflow is still running. */
export interface FetchedRun {
  readonly status: SeenRun;
  readonly running: boolean;
  /** Only for a run that has ended; undefined for one that was terminated. */
  readonly report: RunReport | undefined;
}

/**
 * Queries the workflow of the pool and the workflows of its nodes for their status, and merges what running activities reported last. A run that
 * has ended is read from its history instead, and needs no worker.
 * @throws NodeferryError PoolNotFound without a run, TemporalUnreachable when no worker answers
 */
export async function fetchRun(connection: TemporalConnection, target: NamedRun): Promise<FetchedRun> {
  const closed = await fetchClosed(connection, target);
  if ('status' in closed) return { ...closed, running: false };
  const { handle, description } = closed;
  if (!(await answered(target, () => isPolled(connection, description.taskQueue)))) throw noWorker('');
  const status = await answered(
    target,
    () => connection.within(() => handle.query<RunStatus>('status')),
    (cause) => noWorker('', cause),
  );
  const live = await readLiveDetail(connection, description);
  const nodes = await Promise.all(status.nodes.map((node) => fetchNode(connection, node)));
  return {
    running: true,
    report: undefined,
    status: {
      ...status,
      nodes,
      waiting: explainWaiting(live, status.waiting, status.startedAt),
      traffic: latest(live.traffic, status.traffic),
      workflow: { state: 'running' },
    },
  };
}

/** A run whose workflow is running, which can be queried. */
interface OpenRun {
  readonly handle: WorkflowHandle;
  readonly description: WorkflowExecutionDescription;
}

/**
 * Reads a run that has ended. For one that is running it returns that.
 * @throws NodeferryError PoolNotFound without a run
 */
export async function fetchClosed(connection: TemporalConnection, target: NamedRun): Promise<ClosedRun | OpenRun> {
  const handle = await answered(target, () => findRun(connection, target));
  const description = await answered(target, () => connection.within(() => handle.describe()));
  if (description.status.name === 'RUNNING') return { handle, description };
  return await answered(target, () => readClosedRun(connection, handle, description));
}

/** A monitor that has just started may not have reported anything yet, or the workflow does not know the report yet. */
function latest(live: TrafficCounts | undefined, known: TrafficCounts): TrafficCounts {
  return live !== undefined && live.sent >= known.sent ? live : known;
}

async function fetchNode(connection: TemporalConnection, node: NodeStatus): Promise<NodeStatus> {
  // When the workflow of a node has ended, the pool's workflow knows more, for example whether the node waits to be replaced again.
  if (!node.workflowId || isAtRest(stateOfStep(node.step))) return node;
  const handle = connection.client.workflow.getHandle(node.workflowId);
  try {
    const [description, status] = await connection.within(() =>
      Promise.all([handle.describe(), handle.query<NodeStatus>('status')]),
    );
    const live = await readLiveDetail(connection, description);
    return {
      ...status,
      ...(node.skipped === undefined ? {} : { skipped: node.skipped }),
      workflowId: node.workflowId,
      waiting: explainWaiting(live, status.waiting, description.startTime.getTime()),
    };
  } catch (error) {
    // The node's workflow may start or end between the two queries, or its workers fail on it. Then the status from the pool's workflow is good enough.
    if (error instanceof WorkflowNotFoundError || isNoAnswer(error) || isUnreachable(error)) return node;
    throw error;
  }
}

/**
 * The answer to a question about a run.
 * @throws NodeferryError PoolNotFound without a run; by default TemporalUnreachable when the server does not answer
 */
export async function answered<T>(
  target: NamedRun,
  call: () => Promise<T>,
  noAnswer: (cause: unknown) => NodeferryError = noTemporal,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) {
      throw new NodeferryError(
        {
          code: 'PoolNotFound',
          message: `There is no run for ${formatRunTarget(target)}.`,
          hint: 'Check the names (cluster and pool as in the policy), or start one: nodeferry upgrade -f policy.yaml',
        },
        { cause },
      );
    }
    if (isNoAnswer(cause)) throw noAnswer(cause);
    throw cause;
  }
}
