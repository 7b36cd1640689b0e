import { randomBytes } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ApprovedPlan } from '../../core/plan/approved-plan.ts';
import { refusal } from '../../core/plan/refusal.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { type PoolUpgradeInput, poolUpgradeId, upgradeOptions, workflowTypes } from '../../workflows/messages.ts';
import { type WrittenAcceptances, withAccepted } from '../accept-option.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../connect.ts';
import { isNoAnswer, noTemporal, noWorker } from '../no-answer.ts';
import { confirm, requireTerminal } from '../output/confirm.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { answerUnlessInterrupted } from '../output/interrupt.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget, runTargetOf } from '../run-target.ts';
import { readSavedPlan } from '../saved-plan.ts';
import { isScheduled } from '../schedule/scheduled-policy.ts';
import { taskQueue } from '../task-queue.ts';
import { renderPlan } from '../view/plan.ts';
import { isPolled } from '../worker-presence.ts';
import { monitorRun } from './watch.ts';

/** Options of `upgrade`. */
export interface UpgradeOptions extends ClusterOptions {
  /** File of the policy, or of a saved plan. Exactly one of them. */
  readonly file: string | undefined;
  readonly plan: string | undefined;
  /** Start without showing a plan and asking. */
  readonly yes: boolean;
  readonly reason: string;
  readonly accept: WrittenAcceptances;
  readonly detach: boolean;
  readonly output: OutputFormat;
}

/** Starts the upgrade of a pool and watches it. The pool's workflow ID is the lock: a second start is refused. */
export async function upgradeCommand(options: UpgradeOptions): Promise<ExitCode> {
  const { policy, approved } = readInput(options);
  const target = runTargetOf(policy);
  const connection = await connectTemporal();
  try {
    await requireWorker(connection);
    if (policy.traffic.probes.length === 0) printProgress(unmeasured);
    if (approved === undefined && !options.yes && !(await isConfirmed(policy, options))) {
      printProgress('Nothing was started.');
      return exitCodes.failed;
    }
    const started = await startUpgrade(connection, policy, options.reason, approved);
    const name = formatRunTarget(target);
    printProgress(`Started run ${started.run} of ${name} (workflow ${started.workflowId}).`);
    if (isScheduled(policy)) {
      // Loaded on demand: the rules of time zones are a large library.
      const { explainUpgradeWindows } = await import('../schedule/explain-upgrade-windows.ts');
      printProgress(await explainUpgradeWindows(policy, Date.now()));
    }
    if (options.detach) {
      printData(options.output, started, () => started.workflowId);
      printProgress(`Watch it: nodeferry watch ${name}`);
      return exitCodes.ok;
    }
    return await monitorRun(connection, target, {
      output: options.output,
      asLines: false,
      untilStalled: false,
      timeoutMs: undefined,
    });
  } finally {
    await connection.close();
  }
}

const unmeasured =
  'warning: spec.traffic.probes: the policy has no probes, so lost requests are not measured; ' +
  `a run that replaces every node then ends with exit code ${exitCodes.unmeasured}`;

/** A run that is started without a worker would begin whenever one starts, when nobody may be watching any more. */
export async function requireWorker(connection: TemporalConnection): Promise<void> {
  let polled: boolean;
  try {
    polled = await isPolled(connection, taskQueue());
  } catch (cause) {
    throw isNoAnswer(cause) ? noTemporal(cause) : cause;
  }
  if (!polled) throw noWorker(`no worker polls task queue ${taskQueue()}, so nothing was started`);
}

/** What to start. @throws NodeferryError InvalidPolicy, InvalidArgument */
function readInput({ file, plan, yes, accept }: UpgradeOptions): {
  readonly policy: Policy;
  readonly approved?: ApprovedPlan;
} {
  if ((file === undefined) === (plan === undefined)) {
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: 'Either a policy or a saved plan is needed.',
      hint: 'nodeferry upgrade -f policy.yaml   or: nodeferry upgrade plan.json',
    });
  }
  if (plan !== undefined) {
    if (accept.length === 0) return readSavedPlan(plan);
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: '--accept would change what was reviewed in the saved plan.',
      hint: 'Accept it in the plan: nodeferry plan -f POLICY --accept RULE="…" --out plan.json',
    });
  }
  const policy = withAccepted(readPolicyFile(file ?? '-'), accept);
  if (!yes)
    requireTerminal(
      'Nothing was started',
      'Add --yes, or start from a plan that was saved and reviewed: nodeferry plan -f POLICY --out plan.json',
    );
  return { policy };
}

/** Shows the plan and asks. A plan that is refused is an answer too. */
async function isConfirmed(policy: Policy, options: ClusterOptions): Promise<boolean> {
  const { makePlan } = await import('../make-plan.ts');
  const plan = await makePlan(policy, options);
  printProgress(renderPlan(plan, styleFor(process.stderr)).join('\n'));
  const refused = refusal(plan);
  if (refused !== undefined) throw new NodeferryError(refused);
  return await confirm(`Start this upgrade of ${formatRunTarget(runTargetOf(policy))}?`);
}

/** What a start returns. */
export interface StartedRun {
  readonly run: string;
  readonly workflowId: string;
}

/**
 * Starts the pool's workflow: an upgrade, or a drain if the policy selects nodes.
 * @throws NodeferryError AlreadyRunning while another upgrade of the pool is under way
 * @throws Interrupted at Ctrl-C before Temporal has answered
 */
export async function startUpgrade(
  connection: TemporalConnection,
  policy: Policy,
  reason: string,
  approved?: ApprovedPlan,
): Promise<StartedRun> {
  const target = runTargetOf(policy);
  const workflowId = poolUpgradeId(target.cluster, target.pool);
  const plan = approved === undefined ? {} : { approved };
  const input: PoolUpgradeInput = { run: runName(), policy, by: operatorName(), reason, ...plan };
  const start = connection.within(() =>
    connection.client.workflow.start(
      policy.selection === undefined ? workflowTypes.poolUpgrade : workflowTypes.nodeDrain,
      {
        ...upgradeOptions(input.run, policy),
        workflowIdConflictPolicy: 'FAIL',
        taskQueue: taskQueue(),
        args: [input],
      },
    ),
  );
  const { message, hint } = unknownStart(target, input.run);
  try {
    await answerUnlessInterrupted(start, `Interrupted. ${message}\n${hint}`);
  } catch (cause) {
    if (cause instanceof WorkflowExecutionAlreadyStartedError) {
      const name = formatRunTarget(target);
      throw new NodeferryError(
        {
          code: 'AlreadyRunning',
          message: `${policy.selection === undefined ? 'An upgrade' : 'A run'} of ${name} is already under way; nothing was started.`,
          hint: `Watch it: nodeferry watch ${name}   or end it first: nodeferry abort ${name}`,
        },
        { cause },
      );
    }
    if (!isNoAnswer(cause)) throw cause;
    const unanswered = `Temporal does not answer any more. ${message}`;
    throw new NodeferryError({ code: 'TemporalUnreachable', message: unanswered, hint }, { cause });
  }
  return { run: input.run, workflowId };
}

/** The server may have started a run whose start it has not confirmed. */
function unknownStart(target: RunTarget, run: string): { readonly message: string; readonly hint: string } {
  const name = formatRunTarget(target);
  return {
    message: `Whether Temporal has started run ${run} of ${name} is not known.`,
    hint: `See whether it continues: nodeferry status ${name}`,
  };
}

/** A short name for a run. It is part of every label, annotation and taint that the run sets on nodes and pods. */
function runName(): string {
  return `run-${randomBytes(4).toString('hex')}`;
}
