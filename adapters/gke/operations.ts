import type { protos } from '@google-cloud/container';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { isConflict } from '../gcp/errors.ts';
import { readGoogleError } from '../gcp/read-error.ts';
import { hasCode } from '../gcp/retry.ts';
import { type GkeClients, readGke } from './clients.ts';
import { locationName, poolSubject } from './names.ts';

type Operation = protos.google.container.v1.IOperation;

/** Until an operation is read for the first time, ms: many a setting is changed within a second or two. Each further pause is half as long again. */
const firstPauseMs = 250;

/** A change of a pool or its cluster, which may have been begun by an attempt that was interrupted. */
interface Change {
  /** For messages, e.g. `auto-repair off`. */
  readonly what: string;
  /** Whether nothing is left to do. It reads what decides. */
  readonly isDone: () => Promise<boolean>;
  readonly request: () => Promise<Operation>;
  /** Whether the change counts as made when `isDone` says so although its operation goes on. */
  readonly needNotEnd?: boolean;
}

/**
 * Makes a change once, and waits for it. While another operation runs, ours or somebody else's, it waits for that one and checks again whether the
 * change is still needed: so a change is found again whose answer was lost or whose worker has died. @throws NodeferryError Conflict when the other
 * operation lasts longer than `operationTimeoutMs`
 */
export async function change(clients: GkeClients, ref: PoolRef, wanted: Change): Promise<void> {
  const deadline = clients.clock.now() + clients.operationTimeoutMs;
  for (let lost = 0; ; ) {
    if (await wanted.isDone()) return;
    const asked = await ask(wanted);
    if ('operation' in asked) return await waitFor(clients, ref, asked.operation, deadline, wanted);
    if (mayHaveChanged(asked.refusal) && lost < clients.maxAttempts) lost += 1;
    else {
      const running = await findConflicting(clients, ref, asked.refusal);
      await waitFor(clients, ref, running, deadline, wanted, asked.refusal);
      if (clients.clock.now() >= deadline) throw asked.refusal;
    }
    // Also where no such operation is found: it may have ended just now, or GKE may go on refusing.
    await clients.clock.sleep(clients.pollIntervalMs);
  }
}

async function ask({
  request,
}: Change): Promise<{ readonly operation: Operation } | { readonly refusal: NodeferryError }> {
  try {
    return { operation: await request() };
  } catch (error) {
    if (error instanceof NodeferryError) return { refusal: error };
    throw error;
  }
}

/**
 * Whether the answer may have been lost, or the resource has changed since it was read: what decides has to be read again. Of the two codes for the latter
 * (google/rpc/code.proto), an etag is refused with ABORTED and the version of a maintenance policy with FAILED_PRECONDITION.
 */
function mayHaveChanged(error: NodeferryError): boolean {
  if (error.problem.code === 'ProviderUnavailable') return true;
  const facts = readGoogleError(error.cause);
  return facts.rpc === 'ABORTED' || (facts.rpc === 'FAILED_PRECONDITION' && !isConflict(facts));
}

/** The operation because of which a call was refused. @throws the error itself when it was refused for something else */
async function findConflicting(clients: GkeClients, ref: PoolRef, error: NodeferryError): Promise<Operation> {
  const facts = readGoogleError(error.cause);
  if (!isConflict(facts)) throw error;
  const [name] = /operation-[\w-]*\w/.exec(facts.message) ?? [];
  const known = name === undefined ? undefined : await findOperation(clients, ref, name);
  return known ?? (await listRunning(clients, ref))[0] ?? { status: 'DONE' };
}

async function findOperation(clients: GkeClients, ref: PoolRef, name: string): Promise<Operation | undefined> {
  const full = `${locationName(clients.project, ref)}/operations/${name}`;
  try {
    return await readGke(clients, 'container.operations.get', poolSubject(ref), (gke, options) =>
      gke.getOperation({ name: full }, options),
    );
  } catch (error) {
    if (hasCode(error, 'PoolNotFound')) return undefined;
    throw error;
  }
}

/** Operations of the cluster that are not done: the earlier texts of a conflict name none. */
async function listRunning(clients: GkeClients, ref: PoolRef): Promise<readonly Operation[]> {
  const parent = locationName(clients.project, ref);
  const { operations } = await readGke(clients, 'container.operations.list', `cluster ${ref.cluster}`, (gke, options) =>
    gke.listOperations({ parent }, options),
  );
  const inCluster = new RegExp(`/clusters/${ref.cluster}(?:/|$)`);
  return (operations ?? []).filter(({ status, targetLink }) => status !== 'DONE' && inCluster.test(targetLink ?? ''));
}

/** Waits until an operation is done. With `refusal` it is not the one that we have asked for, so it does not matter how it ends. */
async function waitFor(
  clients: GkeClients,
  ref: PoolRef,
  operation: Operation,
  deadline: number,
  wanted: Change,
  refusal?: NodeferryError,
): Promise<void> {
  let pauseMs = Math.min(firstPauseMs, clients.pollIntervalMs);
  for (let now: Operation | undefined = operation; now !== undefined && now.status !== 'DONE'; ) {
    if (wanted.needNotEnd === true && (await wanted.isDone())) return;
    if (clients.clock.now() >= deadline) throw stillRuns(ref, now, wanted, refusal);
    await clients.clock.sleep(pauseMs);
    pauseMs = Math.min(1.5 * pauseMs, clients.pollIntervalMs);
    now = await findOperation(clients, ref, now.name ?? '');
    if (refusal === undefined && now?.error) throw failed(ref, now, wanted);
  }
}

function stillRuns(ref: PoolRef, operation: Operation, { what }: Change, refusal: NodeferryError | undefined) {
  return new NodeferryError(
    {
      code: refusal === undefined ? 'ProviderUnavailable' : 'Conflict',
      message: `${poolSubject(ref)}: ${what}: ${describeOperation(operation)} still runs`,
      hint: 'GKE allows one operation at a time there. See: gcloud container operations list. The call is made again later.',
    },
    { cause: refusal },
  );
}

function failed(ref: PoolRef, operation: Operation, { what }: Change) {
  return new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(ref)}: ${what}: ${describeOperation(operation)} failed: ${operation.error?.message ?? ''}`,
  });
}

/** An operation as a person can find it: `CREATE_NODE_POOL operation-1-a of web, since 2030-01-01T00:00:00Z`. */
function describeOperation({ name, operationType, targetLink, startTime }: Operation): string {
  return `${operationType ?? 'operation'} ${name} of ${targetLink?.split('/').at(-1) ?? 'the cluster'}, since ${startTime}`;
}
