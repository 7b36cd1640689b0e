import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { NodeferryError } from '../../core/model/problem.ts';
import {
  type Acknowledgement,
  abortUpdate,
  type OperatorRequest,
  pauseUpdate,
  poolUpgradeId,
  resumeUpdate,
} from '../../workflows/messages.ts';
import { connectTemporal, operatorName } from '../connect.ts';
import { fetchRun, isNoAnswer, noWorker } from '../fetch-status.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { renderTree } from '../view/tree.ts';

/** What an operator can tell a run, and what happens then. */
export const controls = {
  pause: { update: pauseUpdate, told: 'Paused: no further node steps out; nodes on their way out finish.' },
  resume: { update: resumeUpdate, told: 'Resumed: parked steps are tried again.' },
  abort: {
    update: abortUpdate,
    told: 'Aborting: nodes on their way out finish or are put back, then everything of ours is.',
  },
} as const;

/** Sends one command to a run and prints how it stands then. */
export async function controlCommand(
  action: keyof typeof controls,
  target: RunTarget,
  options: { readonly reason: string; readonly output: OutputFormat },
): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const handle = connection.client.workflow.getHandle(poolUpgradeId(target.cluster, target.pool));
    const request: OperatorRequest = { by: operatorName(), reason: options.reason };
    const taken = await send(action, target, () =>
      connection.within(() =>
        handle.executeUpdate<Acknowledgement, [OperatorRequest]>(controls[action].update, { args: [request] }),
      ),
    );
    printProgress(controls[action].told);
    // It has been taken, so this command has succeeded, whether or not the run can be asked for more.
    const status = await fetchRun(connection, target).then(
      (run) => run.status,
      () => undefined,
    );
    printData(options.output, status ?? taken, () =>
      status === undefined ? '' : renderTree(status, Date.now(), styleFor(process.stdout)).join('\n'),
    );
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

async function send<T>(action: string, target: RunTarget, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const name = formatRunTarget(target);
    if (cause instanceof WorkflowUpdateFailedError) {
      throw refusal(`The run of ${name} refused to ${action}: ${cause.cause?.message ?? cause.message}`, name, cause);
    }
    if (cause instanceof WorkflowNotFoundError) {
      throw refusal(`No run of ${name} is going, so there is nothing to ${action}.`, name, cause);
    }
    if (isNoAnswer(cause)) throw noWorker(cause);
    throw cause;
  }
}

function refusal(message: string, name: string, cause: unknown): NodeferryError {
  return new NodeferryError(
    { code: 'Conflict', message, hint: `See how it stands: nodeferry status ${name}` },
    { cause },
  );
}
