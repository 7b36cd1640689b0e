import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { OperatorNeeds } from '../core/status/operator-needs.ts';
import { type RunMemo, searchAttributes, workflowTypes } from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';
import { isNoAnswer, noTemporal } from './no-answer.ts';
import type { ListedRun } from './view/run-list.ts';

/** Which runs are listed. */
export interface RunFilter {
  /** Also those that have ended, as long as Temporal keeps them. */
  readonly all: boolean;
  /** Only runs on this cluster. */
  readonly cluster?: string;
  /** Only runs that are stalled, which are all under way. */
  readonly stalled: boolean;
  /** The most runs that are listed. */
  readonly limit: number;
}

/** Runs that were found: those that are under way first, then the last that have ended. */
interface RunList {
  readonly runs: readonly ListedRun[];
  /** There are more than the limit. */
  readonly more: boolean;
}

/**
 * Lists runs from what Temporal itself knows of them; no worker is needed. A change reaches the list within a few seconds.
 * @throws NodeferryError TemporalUnreachable
 */
export async function listRuns(connection: TemporalConnection, filter: RunFilter): Promise<RunList> {
  try {
    return await connection.within(async () => {
      const runs: ListedRun[] = [];
      const pageSize = Math.min(filter.limit + 1, 1000);
      for await (const info of connection.client.workflow.list({ query: queryOf(filter), pageSize })) {
        if (runs.length === filter.limit) return { runs, more: true };
        runs.push(runOf(info));
      }
      return { runs, more: false };
    });
  } catch (cause) {
    throw isNoAnswer(cause) ? noTemporal(cause) : cause;
  }
}

/**
 * Names of the runs on a cluster that are under way, or whose nodes still are: a node restores itself, or is finished, after its run was
 * terminated. Runs that older versions have started are found by their nodes
 * only.
 */
export async function readRunningRuns(connection: TemporalConnection, cluster: string): Promise<ReadonlySet<string>> {
  const { poolUpgrade, nodeDrain, nodeReplacement } = workflowTypes;
  const query = [
    `WorkflowType IN ('${poolUpgrade}', '${nodeDrain}', '${nodeReplacement}')`,
    `ExecutionStatus = 'Running'`,
    isOnCluster(cluster),
  ].join(' AND ');
  return await connection.within(async () => {
    const runs = new Set<string>();
    for await (const info of connection.client.workflow.list({ query })) {
      // See nodeReplacementId.
      const run = runNameOf(info) ?? info.workflowId.split('/')[3];
      if (run !== undefined) runs.add(run);
    }
    return runs;
  });
}

function queryOf({ all, cluster, stalled }: RunFilter): string {
  return [
    `WorkflowType IN ('${workflowTypes.poolUpgrade}', '${workflowTypes.nodeDrain}')`,
    ...(all && !stalled ? [] : [`ExecutionStatus = 'Running'`]),
    ...(cluster === undefined ? [] : [isOnCluster(cluster)]),
    ...(stalled ? [`${searchAttributes.stalled.name} = true`] : []),
  ].join(' AND ');
}

function isOnCluster(cluster: string): string {
  return `${searchAttributes.cluster.name} = ${quoted(cluster)}`;
}

/** A text in a query of Temporal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The name of a run, as Temporal knows it; undefined if an older version has started it. */
export function runNameOf({ memo }: Pick<WorkflowExecutionInfo, 'memo'>): string | undefined {
  return memoOf(memo).run;
}

const ends: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
};

function runOf({
  workflowId,
  runId,
  status,
  startTime,
  closeTime,
  memo,
  typedSearchAttributes,
}: WorkflowExecutionInfo) {
  const [, cluster = '', pool = ''] = workflowId.split('/');
  const phase = typedSearchAttributes.get(searchAttributes.phase) ?? 'preflight';
  const isRunning = status.name === 'RUNNING';
  const isStalled = typedSearchAttributes.get(searchAttributes.stalled) === true;
  const { needs, ...known } = memoOf(memo);
  return {
    cluster,
    pool,
    ...known,
    ...(isRunning ? needs : {}),
    state: ends[status.name] ?? (isRunning ? stateOf(phase, isStalled, needs) : phase),
    phase,
    startedAt: startTime.getTime(),
    ...(closeTime === undefined ? {} : { closedAt: closeTime.getTime() }),
    workflowId,
    workflowRunId: runId,
  } satisfies ListedRun;
}

/** The worst of it, as `status` says it. */
function stateOf(phase: string, isStalled: boolean, needs: OperatorNeeds = {}): string {
  if (needs.paused !== undefined) return 'paused';
  if (isStalled) return 'stalled';
  return needs.approval === undefined ? phase : 'waiting for approval';
}

/** Runs that older versions have started have no memo. */
function memoOf({ run, newPool, version, needs }: Record<string, unknown> = {}): Partial<RunMemo> {
  return {
    ...(typeof needs === 'object' && needs !== null ? { needs } : {}),
    ...(typeof run === 'string' ? { run } : {}),
    ...(typeof newPool === 'string' ? { newPool } : {}),
    ...(typeof version === 'string' ? { version } : {}),
  };
}
