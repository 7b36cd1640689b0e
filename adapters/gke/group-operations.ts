import type { compute_v1 } from '@googleapis/compute';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { allPages, callCompute } from '../gcp/compute-client.ts';
import type { GkeClients } from './clients.ts';
import { poolSubject } from './names.ts';
import type { GroupName } from './observe.ts';

type Operation = compute_v1.Schema$Operation;

/** Until an operation is read again, ms. Each further pause is half as long again. */
const firstPauseMs = 250;

/** Attempts of one change that have failed before another one is made. Each is asked about with a call of its own. */
const maxFailedAttempts = 10;

/**
 * Changes a managed instance group, and returns when the operation is done. Until then its target size need not tell of it: DONE means that the actions
 * are scheduled (Compute API reference, instanceGroupManagers.resize and deleteInstances). The cluster autoscaler waits so too
 * (github.com/kubernetes/autoscaler, cluster-autoscaler/cloudprovider/gce/autoscaling_gce_client.go, ResizeMig and DeleteInstances).
 *
 * A request ID is answered with the operation that it has started, and nothing is done again (Compute API reference, `requestId`): one that has failed
 * stays so. So the request ID has to differ with the `attempt`, and the first attempt that has not failed earlier counts. `subject` is what is changed.
 *
 * @throws NodeferryError ProviderRefused when the operation fails, Conflict when it lasts longer than `operationTimeoutMs`
 */
export async function changeGroup(
  clients: GkeClients,
  ref: PoolRef,
  { zone }: GroupName,
  send: (compute: compute_v1.Compute, attempt: number) => Promise<{ readonly data: Operation }>,
  subject: string = poolSubject(ref),
): Promise<void> {
  await clients.beforeChange?.();
  const ask = async (attempt: number) =>
    await callCompute(
      clients,
      'compute.instanceGroupManagers.update',
      subject,
      async (compute) => await send(compute, attempt),
    );
  let asked = await ask(1);
  for (let attempt = 2; attempt <= maxFailedAttempts && hasFailed(asked); attempt += 1) asked = await ask(attempt);
  const { error, operationType } = await waitFor(clients, ref, zone, asked);
  const [first] = error?.errors ?? [];
  if (first === undefined) return;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${subject}: ${operationType} in ${zone} failed: ${first.code}: ${first.message}`,
    hint: 'It is asked for anew when the step is tried again.',
  });
}

/** The part of a request ID that tells an attempt from those that have failed before it. */
export function seedOf(attempt: number): readonly string[] {
  return attempt === 1 ? [] : [`attempt ${attempt}`];
}

function hasFailed({ status, error }: Operation): boolean {
  return status === 'DONE' && (error?.errors ?? []).length > 0;
}

/**
 * Waits until everything is done that has been asked of these groups, by this attempt or an earlier one, or by somebody else.
 *
 * @throws NodeferryError Conflict when it lasts longer than `operationTimeoutMs`
 */
export async function awaitGroupChanges(
  clients: GkeClients,
  ref: PoolRef,
  groups: readonly GroupName[],
): Promise<void> {
  await Promise.all(
    groups.map(async (group) => {
      for (const operation of await listRunning(clients, ref, group))
        await waitFor(clients, ref, group.zone, operation);
    }),
  );
}

async function listRunning(clients: GkeClients, ref: PoolRef, { zone, name }: GroupName): Promise<Operation[]> {
  const running = await allPages(async (pageToken) => {
    const at = { project: clients.project, zone, filter: 'status != "DONE"', ...(pageToken && { pageToken }) };
    const page = await callCompute(clients, 'compute.zoneOperations.list', poolSubject(ref), (compute) =>
      compute.zoneOperations.list(at),
    );
    return { items: page.items, next: page.nextPageToken };
  });
  return running.filter(({ targetLink }) => targetLink?.endsWith(`/instanceGroupManagers/${name}`) === true);
}

/** Reads the operation until it is done: a call that waits for it itself would last longer than any call may. */
async function waitFor(clients: GkeClients, ref: PoolRef, zone: string, operation: Operation): Promise<Operation> {
  const deadline = clients.clock.now() + clients.operationTimeoutMs;
  let now = operation;
  for (let pauseMs = firstPauseMs; now.status !== 'DONE'; pauseMs = Math.min(1.5 * pauseMs, clients.pollIntervalMs)) {
    if (clients.clock.now() >= deadline) throw stillRuns(ref, zone, now);
    await clients.clock.sleep(Math.min(pauseMs, clients.pollIntervalMs));
    const at = { project: clients.project, zone, operation: now.name ?? '' };
    now = await callCompute(clients, 'compute.zoneOperations.get', poolSubject(ref), (compute) =>
      compute.zoneOperations.get(at),
    );
  }
  return now;
}

function stillRuns(ref: PoolRef, zone: string, { name, operationType }: Operation): NodeferryError {
  return new NodeferryError({
    code: 'Conflict',
    message: `${poolSubject(ref)}: ${operationType} ${name} in ${zone} still runs`,
    hint: `See: gcloud compute operations list --zones=${zone}. What depends on it is done later.`,
  });
}
