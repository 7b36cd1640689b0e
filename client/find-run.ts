import { type WorkflowExecutionInfo, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { NodeferryError } from '../core/model/problem.ts';
import { printable } from '../core/text/printable.ts';
import { poolUpgradeId } from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';
import { quoted, runNameOf } from './list-runs.ts';
import { formatRunTarget, type NamedRun } from './run-target.ts';

/**
 * The workflow of a run. All runs of a pool have one workflow ID, so a run that is named is searched among those that Temporal still has: by
 * its name, or by Temporal's own ID of it. Of two with the same name (the workflow was reset) the later one counts.
 * @throws NodeferryError PoolNotFound without such a run
 */
export async function findRun(connection: TemporalConnection, target: NamedRun): Promise<WorkflowHandle> {
  const workflowId = poolUpgradeId(target.cluster, target.pool);
  const { workflow } = connection.client;
  const { run } = target;
  if (run === undefined) return workflow.getHandle(workflowId);
  const runId = await connection.within(async () => {
    const latest = await describeLatest(workflow.getHandle(workflowId));
    // A run that has just started is not in the list yet.
    if (latest !== undefined && isCalled(latest, run)) return latest.runId;
    const found = [];
    for await (const info of workflow.list({ query: `WorkflowId = ${quoted(workflowId)}` }))
      if (isCalled(info, run)) found.push(info);
    return found.toSorted((a, b) => b.startTime.getTime() - a.startTime.getTime())[0]?.runId;
  });
  if (runId === undefined) throw unknownRun(target, run);
  return workflow.getHandle(workflowId, runId);
}

async function describeLatest(handle: WorkflowHandle) {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function isCalled(info: Pick<WorkflowExecutionInfo, 'runId' | 'memo'>, run: string): boolean {
  return info.runId === run || runNameOf(info) === run;
}

function unknownRun(target: NamedRun, run: string): NodeferryError {
  return new NodeferryError({
    code: 'PoolNotFound',
    message: `There is no run ${printable(run)} of ${formatRunTarget(target)}, or Temporal no longer keeps it.`,
    hint: `See the IDs of its runs: nodeferry list --all --cluster ${target.cluster}`,
  });
}
