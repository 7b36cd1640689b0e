import { randomUUID } from 'node:crypto';
import { type WorkflowHandle, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { NodeferryError } from '../core/model/problem.ts';
import type { OperatorAction } from '../core/status/status.ts';
import {
  type Acknowledgement,
  abortUpdate,
  acceptUnprotectedUpdate,
  approveUpdate,
  type OperatorRequest,
  overrideWindowUpdate,
  pauseUpdate,
  poolUpgradeId,
  rejectUpdate,
  resumeUpdate,
  retryUpdate,
  rollbackUpdate,
  setConcurrencyUpdate,
  skipUpdate,
  withdrawSignal,
} from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';
import { isNoAnswer, noTemporal, noWorker } from './no-answer.ts';
import { Interrupted } from './output/interrupt.ts';
import { formatRunTarget, type RunTarget } from './run-target.ts';
import { requireSameCodec } from './same-codec.ts';
import { isPolled } from './worker-presence.ts';

/** Commands that an operator can send to a run. */
export type OperatorCommand = Exclude<OperatorAction['action'], 'start'>;

const updates = {
  pause: pauseUpdate,
  resume: resumeUpdate,
  retry: retryUpdate,
  skip: skipUpdate,
  abort: abortUpdate,
  rollback: rollbackUpdate,
  approve: approveUpdate,
  reject: rejectUpdate,
  'override-window': overrideWindowUpdate,
  'set-concurrency': setConcurrencyUpdate,
  'accept-unprotected': acceptUnprotectedUpdate,
} as const;

/** The command as a verb or noun in a sentence. */
function wordOf(command: OperatorCommand): string {
  if (command === 'set-concurrency') return 'change';
  if (command === 'accept-unprotected') return 'accept';
  if (command === 'rollback') return 'roll back';
  return command === 'override-window' ? 'override' : command;
}

/** How long a worker may take to answer a command, ms. */
const patienceMs = 10_000;

/** A command that is being sent to a run. */
interface Sent {
  readonly connection: TemporalConnection;
  readonly handle: WorkflowHandle;
  readonly updateId: string;
  /** Length of the run's history before it was sent. */
  readonly historyLength: number;
}

/**
 * Sends a command to a run. It either takes effect or fails for good: nothing is sent where no worker polls, and a command that no worker has
 * accepted within `waitMs`, or before `impatience` (Ctrl-C), is withdrawn. Returns undefined when it was accepted but not answered yet.
 * @throws NodeferryError Conflict when the run refuses or has ended, TemporalUnreachable when no worker accepts it
 * @throws Interrupted when the operator interrupted, and so it was not sent or was withdrawn
 */
export async function sendCommand(
  connection: TemporalConnection,
  target: RunTarget,
  command: OperatorCommand,
  request: OperatorRequest,
  { waitMs = patienceMs, impatience }: { readonly waitMs?: number; readonly impatience?: AbortSignal } = {},
): Promise<Acknowledgement | undefined> {
  const name = formatRunTarget(target);
  const handle = connection.client.workflow.getHandle(poolUpgradeId(target.cluster, target.pool));
  try {
    const { status, taskQueue, historyLength } = await connection.within(() => handle.describe());
    if (status.name !== 'RUNNING') throw noRun(command, name);
    if (!(await isPolled(connection, taskQueue))) throw noWorker(`the ${wordOf(command)} was not sent`);
    await requireSameCodec(connection, handle).catch((cause: unknown) => {
      throw isNoAnswer(cause) ? noWorker(`the ${wordOf(command)} was not sent`, cause) : cause;
    });
    if (impatience?.aborted === true) throw new Interrupted(`Interrupted: the ${wordOf(command)} was not sent.`);
    const sent = { connection, handle, updateId: randomUUID(), historyLength };
    const options = { updateId: sent.updateId, args: [request] as [OperatorRequest] };
    const answer = connection.within(() => handle.executeUpdate(updates[command], options), waitMs);
    try {
      return await Promise.race([answer, interrupted(impatience)]);
    } catch (cause) {
      const isInterrupted = cause instanceof Interrupted;
      if (cause instanceof WorkflowUpdateFailedError || !(isInterrupted || isNoAnswer(cause))) throw cause;
      answer.catch(() => undefined);
      if (await wasTaken(sent, command, name, cause)) return undefined;
      const withdrawn = `the ${wordOf(command)} was withdrawn and will not take effect`;
      throw isInterrupted ? new Interrupted(`Interrupted: ${withdrawn}.`) : noWorker(withdrawn, cause);
    }
  } catch (cause) {
    throw explain(command, name, cause);
  }
}

/** @throws Interrupted as soon as the operator interrupts */
async function interrupted(impatience: AbortSignal | undefined): Promise<never> {
  return await new Promise((_resolve, reject) => {
    impatience?.addEventListener('abort', () => reject(new Interrupted('Interrupted.')), { once: true });
  });
}

/** Withdraws a command unless a worker has it. Returns true when one has. */
async function wasTaken(sent: Sent, command: OperatorCommand, name: string, cause: unknown): Promise<boolean> {
  const { connection, handle, updateId } = sent;
  try {
    if (await isAccepted(sent)) return true;
    await connection.within(() => handle.signal(withdrawSignal, updateId));
    await untilNoTaskIsUnderWay(sent);
    return await isAccepted(sent);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return await isAccepted(sent);
    if (!isNoAnswer(error)) throw error;
    throw new NodeferryError(
      {
        code: 'TemporalUnreachable',
        message: `Temporal does not answer any more. Whether it has the ${wordOf(command)} of ${name} is not known: a worker may take it yet.`,
        hint: `Once Temporal answers, see whether it was taken: nodeferry status ${name}`,
      },
      { cause },
    );
  }
}

/** A workflow task that a worker started before the withdrawal may still accept the command. The server times it out after 10 s at most. */
async function untilNoTaskIsUnderWay({ connection, handle }: Sent): Promise<void> {
  for (;;) {
    const { raw } = await connection.within(() => handle.describe());
    if (raw.pendingWorkflowTask?.state !== startedTask) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Temporal's number for a task that a worker has, temporal.api.enums.v1.PendingWorkflowTaskState. */
const startedTask = 2;

/** Whether the history says that the run has accepted the command. A command that a validator rejects leaves no event. */
async function isAccepted({ connection, handle, updateId, historyLength }: Sent): Promise<boolean> {
  const { client, namespace } = connection;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.within(() =>
      client.workflowService.getWorkflowExecutionHistoryReverse({
        namespace,
        execution: { workflowId: handle.workflowId },
        ...(nextPageToken === undefined ? {} : { nextPageToken }),
      }),
    );
    for (const { eventId, workflowExecutionUpdateAcceptedEventAttributes: accepted } of page.history?.events ?? []) {
      if (accepted?.acceptedRequest?.meta?.updateId === updateId) return true;
      if (Number(eventId) <= historyLength) return false;
    }
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
  return false;
}

function explain(command: OperatorCommand, name: string, cause: unknown): unknown {
  if (cause instanceof NodeferryError || cause instanceof Interrupted) return cause;
  if (cause instanceof WorkflowUpdateFailedError) {
    return refusal(
      `The run of ${name} refused to ${wordOf(command)}: ${cause.cause?.message ?? cause.message}`,
      name,
      cause,
    );
  }
  if (cause instanceof WorkflowNotFoundError) return noRun(command, name, cause);
  // Here nothing has been sent. A command that was sent is settled above.
  return isNoAnswer(cause) ? noTemporal(cause) : cause;
}

function noRun(command: OperatorCommand, name: string, cause?: unknown): NodeferryError {
  return refusal(`No run of ${name} is under way, so there is nothing to ${wordOf(command)}.`, name, cause);
}

function refusal(message: string, name: string, cause: unknown): NodeferryError {
  return new NodeferryError({ code: 'Conflict', message, hint: `See its status: nodeferry status ${name}` }, { cause });
}
