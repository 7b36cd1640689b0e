import type { WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { NodeferryError } from '../../core/model/problem.ts';
import { count } from '../../core/text/format.ts';
import { printable } from '../../core/text/printable.ts';
import { workflowTypes } from '../../workflows/messages.ts';
import type { TemporalConnection } from '../connect.ts';
import { askInBatches } from '../in-batches.ts';
import { readLiveDetail } from '../live-detail.ts';
import type { Check } from './check.ts';

/** The most workflows that are read one by one. */
const maxRead = 50;
/** The most workflows whose cause is read from their history, and that are named. */
const maxNamed = 10;
/** A task at this attempt has failed more than once: a worker that was just ended can fail it once. */
const repeatedAttempt = 3;
/** Where in the history the last failure is: the latest events. */
const latestEvents = 10;

/** A workflow whose task keeps failing. */
interface StuckWorkflow {
  readonly workflowId: string;
  /** How often Temporal has tried the task; absent where it only reports the problem. */
  readonly attempt?: number;
}

/** Checks that workers can continue the workflows of nodeferry: pools, nodes and launchers. */
export async function checkWorkflows(connection: TemporalConnection): Promise<readonly Check[]> {
  const [{ ids, more }, reported] = await Promise.all([listRunning(connection), listReported(connection)]);
  const read = (await askInBatches(ids, async (id) => await describe(connection, id))).filter(isRunning);
  const failing = read.flatMap((one): readonly StuckWorkflow[] => {
    const attempt = one.raw.pendingWorkflowTask?.attempt ?? 0;
    return attempt < repeatedAttempt ? [] : [{ workflowId: one.workflowId, attempt }];
  });
  // What was read is newer than what the server's index says.
  const known = new Set(read.map(({ workflowId }) => workflowId));
  const stuck = [...failing, ...reported.filter((id) => !known.has(id)).map((workflowId) => ({ workflowId }))];
  const explainNone = (what: string) => explainExtent(read.length, more, what);
  return [
    ...(await reportStuck(connection, stuck, explainNone)),
    ...(await reportUnknownSteps(connection, read, explainNone)),
  ];
}

/** Says that none of the workflows has a problem. */
function explainExtent(read: number, more: boolean, what: string): string {
  if (read === 0) return 'no run is under way';
  return `none of ${count(read, 'workflow')} ${what}${more ? '; there are more, which were not read' : ''}`;
}

/** Pools and launchers first: there are few of them. */
async function listRunning(connection: TemporalConnection) {
  const ids: string[] = [];
  const { poolUpgrade, nodeDrain, windowLauncher, nodeReplacement } = workflowTypes;
  for (const type of [poolUpgrade, nodeDrain, windowLauncher, nodeReplacement]) {
    const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Running'`;
    const isFull = await connection.within(async () => {
      for await (const { workflowId } of connection.client.workflow.list({ query, pageSize: maxRead + 1 })) {
        if (ids.length === maxRead) return true;
        ids.push(workflowId);
      }
      return false;
    });
    if (isFull) return { ids, more: true };
  }
  return { ids, more: false };
}

/** Workflows of which the server itself says so, however many there are. Older servers have no such search attribute. */
async function listReported(connection: TemporalConnection): Promise<readonly string[]> {
  const types = Object.values(workflowTypes).map((type) => `'${type}'`);
  const query = `WorkflowType IN (${types.join(', ')}) AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`;
  try {
    return await connection.within(async () => {
      const ids: string[] = [];
      for await (const { workflowId } of connection.client.workflow.list({ query })) {
        if (ids.length > maxNamed) break;
        ids.push(workflowId);
      }
      return ids;
    });
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'InvalidArgument') return [];
    throw error;
  }
}

/** Undefined for a workflow that has ended meanwhile and is not kept. */
async function describe(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  try {
    return await connection.within(() => connection.client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function isRunning(found: WorkflowExecutionDescription | undefined): found is WorkflowExecutionDescription {
  return found?.status.name === 'RUNNING';
}

async function reportStuck(
  connection: TemporalConnection,
  stuck: readonly StuckWorkflow[],
  explainNone: (what: string) => string,
): Promise<readonly Check[]> {
  const id = 'runs.workflow-tasks';
  if (stuck.length === 0) return [{ id, state: 'ok', found: explainNone('is stuck') }];
  const named = await askInBatches(stuck.slice(0, maxNamed), async ({ workflowId, attempt }): Promise<Check> => {
    const cause = await readCause(connection, workflowId);
    const isCodec = /^Unknown encoding: |^The payload codec of /.test(cause ?? '');
    const times = attempt === undefined ? '' : `: attempt ${attempt}`;
    return {
      id,
      state: 'failed',
      found: `${workflowId} makes no progress, its workflow task keeps failing${times}${cause === undefined ? '' : `: ${cause}`}`,
      fix: `${isCodec ? 'Give the workers the payload codec and the keys' : 'Update the workers to the version'} that it was started with. It continues by itself then. Its history:\ntemporal workflow show --namespace ${connection.namespace} --workflow-id ${workflowId}`,
    };
  });
  const unnamed = stuck.length - named.length;
  return unnamed === 0 ? named : [...named, { id, state: 'failed', found: `and at least ${count(unnamed, 'other')}` }];
}

/** What the worker said when the task failed for the first time: the server records no further attempts. */
async function readCause(connection: TemporalConnection, workflowId: string): Promise<string | undefined> {
  const { client, namespace } = connection;
  const { history } = await connection.within(() =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId },
      maximumPageSize: latestEvents,
    }),
  );
  const failures = (history?.events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.failure ?? []);
  const { loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  const failure = await connection.within(() =>
    decodeOptionalFailureToOptionalError(loadedDataConverter, failures[0], context),
  );
  const message = failure?.message;
  return message ? printable(message.split('\n', 1)[0] ?? '', 200) : undefined;
}

async function reportUnknownSteps(
  connection: TemporalConnection,
  read: readonly WorkflowExecutionDescription[],
  explainNone: (what: string) => string,
): Promise<readonly Check[]> {
  const id = 'runs.steps';
  const waiting: Check[] = [];
  for (const one of read) {
    const { unknownSteps } = await readLiveDetail(connection, one);
    if (unknownSteps.length === 0) continue;
    waiting.push({
      id,
      state: 'failed',
      found: `${one.workflowId} waits for a worker that knows ${unknownSteps.join(', ')}: a newer version has started it`,
      fix: 'Update all workers to the version of the newest.',
    });
  }
  if (waiting.length > 0) return waiting;
  return [{ id, state: 'ok', found: explainNone('waits for a step that the workers do not know') }];
}
