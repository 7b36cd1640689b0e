import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowCancellationType, ParentClosePolicy, startChild, uuid4 } from '@temporalio/workflow';
import { skippedOf } from '../core/run/nodes.ts';
import { because } from '../core/status/because.ts';
import type { RunReport } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import type { LauncherInput, LauncherResult } from './launcher-messages.ts';
import { upgradeOptions, workflowTypes } from './messages.ts';
import type { poolUpgrade } from './pool-upgrade.ts';
import { failWith, problemOf, steps, toOutcome } from './run/steps.ts';

/**
 * Starts the upgrade of a pool when a schedule says that a window opens, unless there is nothing to upgrade or an upgrade of the pool is
 * under way. It lasts as long as that upgrade, so that the schedule starts no second one meanwhile. It fails when the upgrade fails, is
 * aborted or is rolled back: the schedule then pauses (`pauseOnFailure`), because nothing is repeated blindly. Cancelling it does not end the upgrade.
 */
export async function windowLauncher({ schedule, policy }: LauncherInput): Promise<LauncherResult> {
  const checked = await toOutcome(() => steps('see whether there is anything to upgrade').checkLaunch({ policy }));
  if (checked.outcome === 'failed') throw failWith(checked.problem);
  if (!checked.isDue) return { started: false, reason: checked.reason };
  const run = `run-${uuid4().slice(0, 8)}`;
  try {
    const upgrade = await startChild<typeof poolUpgrade>(workflowTypes.poolUpgrade, {
      ...upgradeOptions(run, policy),
      args: [{ run, policy, by: `schedule ${schedule}`, reason: checked.reason }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
    });
    return { started: true, run, ...(await requireCompleted(upgrade.result())) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { started: false, reason: 'an upgrade of the pool is under way already' };
  }
}

/** @throws ApplicationFailure when the upgrade was aborted or rejected, or has failed */
async function requireCompleted(result: Promise<RunReport>): Promise<{ readonly reason: string }> {
  let report: RunReport;
  try {
    report = await result;
  } catch (error) {
    throw failWith(problemOf(error));
  }
  if (report.outcome === 'completed') return { reason: explainCompleted(report) };
  throw failWith({ code: 'RunAborted', message: `the upgrade was ${explainRollback(report)}` });
}

function explainCompleted(report: RunReport): string {
  const skipped = skippedOf({ status: report }).map(({ node }) => node.name);
  const kept =
    skipped.length === 0 ? '' : `; ${report.pool} keeps ${listNames(skipped)}, which an operator has skipped`;
  return `replaced by ${report.newPool}${kept}`;
}

/** Who has made the upgrade roll back, and how. */
function explainRollback({ actions, outcome }: RunReport): string {
  const how = outcome === 'rolled-back' ? 'rolled back' : 'aborted';
  const cause = actions.findLast(({ action }) => action === 'abort' || action === 'reject' || action === 'rollback');
  if (cause === undefined) return how;
  const of = cause.of === undefined ? '' : ` (${cause.of})`;
  return `${cause.action === 'reject' ? `rejected${of}` : how} by ${because(cause)}`;
}
