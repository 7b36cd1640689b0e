import { randomUUID } from 'node:crypto';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { divideByNeed, totalOf, type ZonedSize } from '../../core/surge/zoned-size.ts';
import type { InstanceRequest } from '../../ports/node-pools.ts';
import { notCreatedBy } from '../calls/pool-refusals.ts';
import { requestIdOf } from '../gcp/request-id.ts';
import { changeGke, type GkeClients } from './clients.ts';
import { initialLimits, perZone } from './clone.ts';
import { awaitGroupChanges, changeGroup } from './group-operations.ts';
import { maxSize } from './map.ts';
import { poolName, poolSubject } from './names.ts';
import { groupNames, observePool, type PoolObservation, requireNodePool, requirePool } from './observe.ts';
import { change } from './operations.ts';
import { setAutoscaling } from './settings.ts';
import { createdByLabel, labelValue, resourceLabels } from './settings-label.ts';

/** @throws NodeferryError NotOwned for a pool that another run created; `refused` says what is not done to it */
export function requireCreator({ ref, pool }: PoolObservation, run: string, refused: string): void {
  const creator = resourceLabels(pool)[createdByLabel];
  if (creator !== labelValue(run))
    throw notCreatedBy(run, { subject: poolSubject(ref), refused, mark: `resource label ${createdByLabel}`, creator });
}

/**
 * Grows a pool that this run created. The minimum of its autoscaler grows first: the change of size lasts until all VMs run, and until then GKE changes
 * nothing else. @throws NodeferryError NotOwned for a pool that another run created
 */
export async function resize(
  clients: GkeClients,
  ref: PoolRef,
  { run, ...request }: InstanceRequest & { readonly run: string },
): Promise<void> {
  const observation = await requirePool(clients, ref);
  requireCreator(observation, run, 'does not grow');
  const count = countPerZone(observation, request);
  if (hasAll(observation, count)) return;
  const { autoscaling } = observation.pool;
  const limits = autoscaling?.enabled === true ? initialLimits(observation.pool, count) : undefined;
  if (limits) await setAutoscaling(clients, ref, limits);
  await growTo(clients, ref, request);
}

/**
 * Requests again the instances that a pool had, by zone where that is known. @throws NodeferryError ProviderRefused when its owner's maximum does not allow as many, or the pool is
 * being deleted
 */
export async function restoreSize(clients: GkeClients, ref: PoolRef, request: InstanceRequest): Promise<void> {
  const pool = await requireNodePool(clients, ref);
  const { size, zones } = request;
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
  await awaitGroupChanges(clients, ref, groupNames(pool));
  const observation = await observePool(clients, ref, pool);
  // One that is still being created has no groups, so nothing that could shrink.
  if (zones === undefined || observation.groups.length === 0) await growTo(clients, ref, { size });
  else await growGroups(clients, observation, sizesOfGroups(observation, size, zones));
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
function sizesOfGroups({ groups }: PoolObservation, size: number, zones: ZonedSize): ZonedSize {
  const least = groups.map(({ zone, targetSize }): [string, number] => [zone, Math.max(targetSize, zones[zone] ?? 0)]);
  const needs = Object.fromEntries(least);
  return totalOf(needs) >= size ? needs : divideByNeed(size, needs);
}

/**
 * Requests at least `size` instances, and in each zone as many as it needs. GKE sets the same number for every zone, and shrinks a zone that has more by
 * VMs of its own choice: so the number is never below what any zone has now, which no change of a group that is under way may raise. Returns when the groups have it; the VMs come later.
 */
async function growTo(clients: GkeClients, ref: PoolRef, request: InstanceRequest): Promise<void> {
  const name = poolName(clients.project, ref);
  await change(clients, ref, {
    what: `${request.size} instances`,
    needNotEnd: true,
    isDone: async () => {
      const now = await requirePool(clients, ref);
      return hasRequested(now, request) || hasAll(now, countPerZone(now, request));
    },
    request: async () => {
      const nodeCount = countPerZone(await requirePool(clients, ref), request);
      return await changeGke(
        clients,
        'container.clusters.update',
        `${poolSubject(ref)}: ${nodeCount} per zone`,
        (gke, options) => gke.setNodePoolSize({ name, nodeCount }, options),
      );
    },
  });
}

function countPerZone({ pool, groups }: PoolObservation, request: InstanceRequest): number {
  return Math.max(perZone(request, pool), ...groups.map(({ targetSize }) => targetSize));
}

function hasRequested({ groups }: PoolObservation, { size, zones = {} }: InstanceRequest): boolean {
  const total = groups.reduce((sum, group) => sum + group.targetSize, 0);
  return total >= size && groups.every(({ zone, targetSize }) => targetSize >= (zones[zone] ?? 0));
}

function hasAll({ groups }: PoolObservation, count: number): boolean {
  return groups.length > 0 && groups.every(({ targetSize }) => targetSize >= count);
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
    await changeGroup(clients, ref, group, (compute) =>
      compute.instanceGroupManagers.deleteInstances({
        project: clients.project,
        zone,
        instanceGroupManager: name,
        requestId: requestIdOf('trim', zone, name, ...instances),
        requestBody: { instances, skipInstancesOnValidationError: true },
      }),
    );
  }
}
