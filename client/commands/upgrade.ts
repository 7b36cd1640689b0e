import { randomBytes } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { type PoolUpgradeInput, poolUpgradeId, searchAttributes, workflowTypes } from '../../workflows/messages.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../connect.ts';
import { isNoAnswer, noTemporal, noWorker } from '../no-answer.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { isScheduled } from '../schedule/scheduled-policy.ts';
import { taskQueue } from '../task-queue.ts';
import { isPolled } from '../worker-presence.ts';
import { monitorRun } from './watch.ts';

/** Options of `upgrade`. */
export interface UpgradeOptions {
  readonly file: string;
  readonly reason: string;
  readonly detach: boolean;
  readonly output: OutputFormat;
}

/** Starts the upgrade of a pool and watches it. The pool's workflow ID is the lock: a second start is refused. */
export async function upgradeCommand(options: UpgradeOptions): Promise<ExitCode> {
  const policy = readPolicyFile(options.file);
  const target = { cluster: policy.cluster.name, pool: policy.pool.name };
  const connection = await connectTemporal();
  try {
    await requireWorker(connection);
    if (policy.traffic.probes.length === 0) printProgress(unmeasured);
    const started = await startUpgrade(connection, policy, options.reason);
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
    return await monitorRun(connection, target, { output: options.output, untilStalled: false, timeoutMs: undefined });
  } finally {
    await connection.close();
  }
}

const unmeasured =
  'warning: spec.traffic.probes: the policy has no probes, so lost requests are not measured; ' +
  `a run that replaces every node then ends with exit code ${exitCodes.unmeasured}`;

/** A run that is started without a worker would begin whenever one starts, when nobody may be watching any more. */
async function requireWorker(connection: TemporalConnection): Promise<void> {
  let polled: boolean;
  try {
    polled = await isPolled(connection, taskQueue());
  } catch (cause) {
    throw isNoAnswer(cause) ? noTemporal(cause) : cause;
  }
  if (!polled) throw noWorker(`no worker polls task queue ${taskQueue()}, so nothing was started`);
}

/** What a start returns. */
export interface StartedRun {
  readonly run: string;
  readonly workflowId: string;
}

/**
 * Starts the pool's workflow.
 * @throws NodeferryError AlreadyRunning while another upgrade of the pool is under way
 */
export async function startUpgrade(
  connection: TemporalConnection,
  policy: Policy,
  reason: string,
): Promise<StartedRun> {
  const target: RunTarget = { cluster: policy.cluster.name, pool: policy.pool.name };
  const workflowId = poolUpgradeId(target.cluster, target.pool);
  const input: PoolUpgradeInput = { run: runName(), policy, by: operatorName(), reason };
  try {
    await connection.within(() =>
      connection.client.workflow.start(workflowTypes.poolUpgrade, {
        workflowId,
        workflowIdConflictPolicy: 'FAIL',
        taskQueue: taskQueue(),
        args: [input],
        typedSearchAttributes: [
          { key: searchAttributes.cluster, value: target.cluster },
          { key: searchAttributes.pool, value: target.pool },
        ],
        staticSummary: `${formatRunTarget(target)} → ${policy.target.poolName}`,
      }),
    );
  } catch (cause) {
    if (cause instanceof WorkflowExecutionAlreadyStartedError) {
      const name = formatRunTarget(target);
      throw new NodeferryError(
        {
          code: 'AlreadyRunning',
          message: `An upgrade of ${name} is already under way; nothing was started.`,
          hint: `Watch it: nodeferry watch ${name}   or end it first: nodeferry abort ${name}`,
        },
        { cause },
      );
    }
    if (isNoAnswer(cause)) throw unknownStart(target, input.run, cause);
    throw cause;
  }
  return { run: input.run, workflowId };
}

/** The server may have started a run without being able to confirm it. */
function unknownStart(target: RunTarget, run: string, cause: unknown): NodeferryError {
  const name = formatRunTarget(target);
  return new NodeferryError(
    {
      code: 'TemporalUnreachable',
      message: `Temporal does not answer any more. Whether it has started run ${run} of ${name} is not known.`,
      hint: `Once Temporal answers, see whether it continues: nodeferry status ${name}`,
    },
    { cause },
  );
}

/** A short name for a run. It is part of every label, annotation and taint that the run sets on nodes and pods. */
function runName(): string {
  return `run-${randomBytes(4).toString('hex')}`;
}
