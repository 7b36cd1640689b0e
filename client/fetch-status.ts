import { WorkflowNotFoundError } from '@temporalio/client';
import { NodeferryError } from '../core/model/problem.ts';
import type { NodeStatus, RunReport, RunStatus, TrafficCounts } from '../core/status/status.ts';
import { poolUpgradeId } from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';
import { readLiveDetail } from './live-detail.ts';
import { formatRunTarget, type RunTarget } from './run-target.ts';
import { noWorker } from './worker-presence.ts';

/** A run as it stands, and whether its workflow is still going. */
export interface FetchedRun {
  readonly status: RunStatus;
  readonly running: boolean;
}

/**
 * Asks the pool's workflow and its nodes' workflows how they stand and merges what running activities last said.
 * @throws NodeferryError PoolNotFound without a run, TemporalUnreachable when no worker answers
 */
export async function fetchRun(connection: TemporalConnection, target: RunTarget): Promise<FetchedRun> {
  const handle = connection.client.workflow.getHandle(poolUpgradeId(target.cluster, target.pool));
  const description = await guarded(target, () => connection.within(() => handle.describe()));
  const status = await guarded(target, () => connection.within(() => handle.query<RunStatus>('status')));
  const live = readLiveDetail(description);
  const nodes = await Promise.all(status.nodes.map((node) => fetchNode(connection, node)));
  return {
    running: description.status.name === 'RUNNING',
    status: {
      ...status,
      nodes,
      waiting: live.waiting ?? status.waiting,
      traffic: latest(live.traffic, status.traffic),
    },
  };
}

/** A watch that has just begun anew may not have said anything yet, or what it said is not yet known to the workflow. */
function latest(live: TrafficCounts | undefined, known: TrafficCounts): TrafficCounts {
  return live !== undefined && live.sent >= known.sent ? live : known;
}

/**
 * Waits for the report of a finished run.
 * @throws NodeferryError PoolNotFound without a run
 */
export async function fetchReport(connection: TemporalConnection, target: RunTarget): Promise<RunReport> {
  const handle = connection.client.workflow.getHandle(poolUpgradeId(target.cluster, target.pool));
  return guarded(target, () => handle.result() as Promise<RunReport>);
}

async function fetchNode(connection: TemporalConnection, node: NodeStatus): Promise<NodeStatus> {
  if (!node.workflowId || isAtRest(node)) return node;
  const handle = connection.client.workflow.getHandle(node.workflowId);
  try {
    const [description, status] = await connection.within(() =>
      Promise.all([handle.describe(), handle.query<NodeStatus>('status')]),
    );
    const live = readLiveDetail(description);
    return { ...status, workflowId: node.workflowId, waiting: live.waiting ?? status.waiting };
  } catch (error) {
    // The node's workflow may start or end between the two looks; the pool's own view is good enough then.
    if (error instanceof WorkflowNotFoundError || isNoAnswer(error)) return node;
    throw error;
  }
}

/** Its workflow has ended: the pool's knows better, also whether the node waits for another turn. */
function isAtRest({ step }: NodeStatus): boolean {
  return step === 'waiting' || step === 'replaced' || step === 'put-back';
}

async function guarded<T>(target: RunTarget, call: () => Promise<T>): Promise<T> {
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
    if (isNoAnswer(cause)) throw noWorker('', cause);
    throw cause;
  }
}

/** True for calls that ran into their deadline: queries and updates hang while no worker polls. */
export function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /DEADLINE_EXCEEDED|Timeout|timed out|no poller|CANCELLED/i.test(
    `${error.name} ${error.message} ${String(error.cause)}`,
  );
}
