import { randomUUID } from 'node:crypto';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { fillSmallest, totalOf, type ZonedSize } from '../../core/surge/zoned-size.ts';
import type { InstanceRequest } from '../../ports/node-pools.ts';
import { notCreatedBy } from '../calls/pool-refusals.ts';
import { requestIdOf } from '../gcp/request-id.ts';
import type { GkeClients } from './clients.ts';
import { limitsFrom } from './clone.ts';
import { awaitGroupChanges, changeGroup, seedOf } from './group-operations.ts';
import { maxSize } from './map.ts';
import { poolSubject } from './names.ts';
import { groupNames, observePool, type PoolObservation, requireNodePool, requirePool } from './observe.ts';
import { setAutoscaling } from './settings.ts';
import { createdByLabel, labelValue, type NodePoolMessage, resourceLabels } from './settings-label.ts';

/** @throws NodeferryError NotOwned for a pool that another run created; `refused` says what is not done to it */
export function requireCreator(
  { ref, pool }: Pick<PoolObservation, 'ref' | 'pool'>,
  run: string,
  refused: string,
): void {
  const creator = resourceLabels(pool)[createdByLabel];
  if (creator !== labelValue(run))
    throw notCreatedBy(run, { subject: poolSubject(ref), refused, mark: `resource label ${createdByLabel}`, creator });
}

/**
 * Grows a pool that this run created. The minimum of its autoscaler grows first. @throws NodeferryError NotOwned for a pool that another run created,
 * Conflict for one that is still being created
 */
export async function resize(
  clients: GkeClients,
  ref: PoolRef,
  { run, ...request }: InstanceRequest & { readonly run: string },
): Promise<void> {
  const pool = await requireNodePool(clients, ref);
  requireCreator({ ref, pool }, run, 'does not grow');
  const observation = await observeSettled(clients, ref, pool);
  const sizes = sizesOfGroups(observation, request);
  if (observation.groups.every(({ zone, targetSize }) => targetSize >= (sizes[zone] ?? 0))) return;
  const limits = pool.autoscaling?.enabled === true ? limitsFrom(pool, totalOf(sizes)) : undefined;
  if (limits) await setAutoscaling(clients, ref, limits);
  await growGroups(clients, observation, sizes);
}

/**
 * Requests again the instances that a pool had, by zone where that is known. @throws NodeferryError ProviderRefused when its owner's maximum does not allow as
 * many, or the pool is being deleted; Conflict while it is being created
 */
export async function restoreSize(clients: GkeClients, ref: PoolRef, request: InstanceRequest): Promise<void> {
  const pool = await requireNodePool(clients, ref);
  const { size } = request;
  if (pool.status === 'STOPPING') {
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `${poolSubject(ref)} gets no instances any more: it is being deleted`,
      hint: 'Abort the run: then the new nodes stay.',
    });
  }
  const most = maxSize(pool);
  if (size > most) {
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `${poolSubject(ref)} can't have ${size} instances again: its maximum size is ${most}`,
      hint: `Raise the maximum of its autoscaler, then resume; or abort the run: then the new nodes stay.`,
    });
  }
  const observation = await observeSettled(clients, ref, pool);
  await growGroups(clients, observation, sizesOfGroups(observation, request));
}

/**
 * The pool once nothing is changed in its groups any more. @throws NodeferryError Conflict for one that is being created: nothing tells what GKE does with
 * groups that are resized meanwhile
 */
async function observeSettled(clients: GkeClients, ref: PoolRef, pool: NodePoolMessage): Promise<PoolObservation> {
  if (pool.status === 'PROVISIONING') {
    throw new NodeferryError({
      code: 'Conflict',
      message: `${poolSubject(ref)} is being created, and does not grow before that is done`,
    });
  }
  await awaitGroupChanges(clients, ref, groupNames(pool));
  return await observePool(clients, ref, pool);
}

/**
 * Requests so many VMs in each zone, and fewer in none. GKE itself sets one number for all zones, and would shrink those that have more, so the groups
 * are asked, as the cluster autoscaler asks them. Each request has an ID of its own: one that is repeated late does not undo what somebody has done
 * since, and one that is made anew is not taken for that.
 */
async function growGroups(clients: GkeClients, { ref, groups }: PoolObservation, sizes: ZonedSize): Promise<void> {
  for (const group of groups) {
    const { zone, name, targetSize } = group;
    const size = sizes[zone] ?? 0;
    if (targetSize >= size) continue;
    const request = { project: clients.project, zone, instanceGroupManager: name, size, requestId: randomUUID() };
    await changeGroup(clients, ref, group, (compute) => compute.instanceGroupManagers.resize(request));
  }
}

/** What each zone has or needs, and so many more in the smallest as make `size`: a zone that has instances to get may not be one of the pool any more. */
function sizesOfGroups({ groups }: PoolObservation, { size, zones = {} }: InstanceRequest): ZonedSize {
  const least = groups.map(({ zone, targetSize }): [string, number] => [zone, Math.max(targetSize, zones[zone] ?? 0)]);
  return fillSmallest(size, Object.fromEntries(least));
}

/**
 * Gives up the VMs that the groups have not been able to create: exactly those members are deleted, which lowers the target sizes by as many. It works
 * while the operation that waits for them still runs, and ends it.
 */
export async function trimPool(clients: GkeClients, ref: PoolRef): Promise<void> {
  const { groups } = await requirePool(clients, ref);
  for (const group of groups) {
    const { zone, name, members } = group;
    const missing = members.filter(
      ({ currentAction, instanceStatus }) => currentAction?.startsWith('CREATING') === true && !instanceStatus,
    );
    const instances = missing.flatMap(({ instance }) => instance ?? []);
    if (instances.length === 0) continue;
    await changeGroup(clients, ref, group, (compute, attempt) =>
      compute.instanceGroupManagers.deleteInstances({
        project: clients.project,
        zone,
        instanceGroupManager: name,
        requestId: requestIdOf('trim', zone, name, ...instances, ...seedOf(attempt)),
        requestBody: { instances, skipInstancesOnValidationError: true },
      }),
    );
  }
}
