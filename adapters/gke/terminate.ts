import type { InstanceFacts, PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { TerminationOutcome } from '../../ports/node-pools.ts';
import { parseVmName } from '../gcp/provider-id.ts';
import { requestIdOf } from '../gcp/request-id.ts';
import { type GkeClients } from './clients.ts';
import { changeGroup, seedOf } from './group-operations.ts';
import { desiredSize, mapVmStatus, minSize, vmNameOf } from './map.ts';
import { poolSubject } from './names.ts';
import { findPool, findVm, type PoolObservation, requirePool, type ZoneGroup } from './observe.ts';
import { createdByLabel, resourceLabels } from './settings-label.ts';

/**
 * Deletes one VM through its managed instance group, which lowers the group's target size by one. Neither the group nor the size of the pool shows that
 * before the operation is done, which is waited for. The request ID is the same for the same VM, so a
 * request that is repeated after a lost answer counts once. A VM that its group has created again under the same name is another one, with another
 * request ID. @throws NodeferryError NotOwned for a VM of another pool or of none; ProviderRefused when the operation fails, and at the minimum of a pool
 * whose scaling is not suspended and that no run created
 */
export async function terminateMember(
  clients: GkeClients,
  ref: PoolRef,
  instanceId: string,
): Promise<TerminationOutcome> {
  const observation = await requirePool(clients, ref);
  const found = findMember(observation, instanceId);
  if (found === undefined) return await requireGone(clients, ref, instanceId);
  const { group, member } = found;
  if (member.currentAction === 'DELETING' || member.currentAction === 'ABANDONING') return { outcome: 'already' };
  requireAboveMinimum(observation);
  const name = vmNameOf(member);
  const seed = ['terminate', clients.project, group.zone, group.name, name, member.id ?? 'none'];
  await changeGroup(
    clients,
    ref,
    group,
    (compute, attempt) =>
      compute.instanceGroupManagers.deleteInstances({
        project: clients.project,
        zone: group.zone,
        instanceGroupManager: group.name,
        requestId: requestIdOf(...seed, ...seedOf(attempt)),
        requestBody: { instances: [member.instance ?? ''], skipInstancesOnValidationError: true },
      }),
    `${poolSubject(ref)}: instance ${name}`,
  );
  return { outcome: 'terminating' };
}

function findMember({ groups }: PoolObservation, instanceId: string) {
  const wanted = parseVmName(instanceId);
  const inZone = ({ zone }: ZoneGroup) => wanted.zone === undefined || wanted.zone === zone;
  return groups
    .filter(inZone)
    .flatMap((group) => group.members.map((member) => ({ group, member })))
    .find(({ member }) => vmNameOf(member) === wanted.name);
}

async function requireGone(clients: GkeClients, ref: PoolRef, instanceId: string): Promise<TerminationOutcome> {
  const state = await vmState(clients, ref, instanceId);
  if (state === 'terminating' || state === 'terminated') return { outcome: 'already' };
  throw new NodeferryError({
    code: 'NotOwned',
    message: `${poolSubject(ref)}: instance ${instanceId} is not terminated: it runs, but belongs to no managed instance group of the pool`,
    hint: 'Somebody moved the instance after the plan was made. Check it, then plan again.',
  });
}

/** The autoscaler does not enforce its minimum against such a deletion, but would add another node for it. */
function requireAboveMinimum(observation: PoolObservation): void {
  const { ref, pool } = observation;
  if (resourceLabels(pool)[createdByLabel] !== undefined) return;
  const minimum = minSize(observation);
  if (desiredSize(observation) > minimum) return;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(ref)} has its minimum of ${minimum} instances, so none can be terminated`,
    hint: 'Suspend scaling first: that turns the cluster autoscaler off, and restoring scaling restores it.',
  });
}

/**
 * State of a VM, whichever pool it was in: that of the VM, unless its group is about to delete it, alone or to create it again. It goes on as
 * it is until the group gets to that. One that is abandoned leaves its group, but goes on (Compute API reference, listManagedInstances, `currentAction`).
 */
export async function observeInstance(
  clients: GkeClients,
  ref: PoolRef,
  instanceId: string,
): Promise<InstanceFacts['state']> {
  const state = await vmState(clients, ref, instanceId);
  if (state === 'terminating' || state === 'terminated') return state;
  const observation = await findPool(clients, ref);
  const action = observation && findMember(observation, instanceId)?.member.currentAction;
  return action === 'DELETING' || action === 'RECREATING' ? 'terminating' : state;
}

/** State of a VM. One that a zone does not have, or that Compute Engine no longer knows, is `terminated`. */
async function vmState(clients: GkeClients, ref: PoolRef, instanceId: string): Promise<InstanceFacts['state']> {
  const { name, zone } = parseVmName(instanceId);
  const vm = await findVm(clients, ref, name, zone);
  return vm === undefined ? 'terminated' : mapVmStatus(vm.status);
}
