import { randomBytes } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import {
  defaultTaskQueue,
  type PoolUpgradeInput,
  poolUpgradeId,
  searchAttributes,
  workflowTypes,
} from '../../workflows/messages.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../connect.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { watchRun } from './watch.ts';

/** What `upgrade` may be told. */
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
    const started = await startUpgrade(connection, policy, options.reason);
    const name = formatRunTarget(target);
    printProgress(`Started run ${started.run} of ${name} (workflow ${started.workflowId}).`);
    if (options.detach) {
      printData(options.output, started, () => started.workflowId);
      printProgress(`Watch it: nodeferry watch ${name}`);
      return exitCodes.ok;
    }
    return await watchRun(connection, target, { output: options.output, untilAttention: false, timeoutMs: undefined });
  } finally {
    await connection.close();
  }
}

/** What a start returns. */
export interface StartedRun {
  readonly run: string;
  readonly workflowId: string;
}

/**
 * Starts the pool's workflow.
 * @throws NodeferryError AlreadyRunning while another upgrade of the pool goes on
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
        taskQueue: process.env['NODEFERRY_TASK_QUEUE'] ?? defaultTaskQueue,
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
          message: `An upgrade of ${name} is going on already; nothing was started.`,
          hint: `Watch it: nodeferry watch ${name}   or end it first: nodeferry abort ${name}`,
        },
        { cause },
      );
    }
    throw cause;
  }
  return { run: input.run, workflowId };
}

/** A short name for a run: it stands on every mark that the run leaves on nodes and pods. */
function runName(): string {
  return `run-${randomBytes(4).toString('hex')}`;
}
