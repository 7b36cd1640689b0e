import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { PoolObservation } from './map.ts';
import { type EksClients, poolSubject, requirePool } from './observe.ts';
import { launching, suspendedSettings } from './settings-tag.ts';
import { setSizes, type UpdateTiming } from './sizes.ts';
import { resume } from './suspend.ts';

/**
 * Raises the desired size of a pool to `size`; never lowers it, and leaves the maximum alone, which belongs to the pool's owner. Auto Scaling launches
 * the instances from the node group's own launch template, each in the zone with the fewest, also while AZRebalance is suspended (Auto Scaling user
 * guide, "How suspended processes affect other processes"). @throws NodeferryError ProviderRefused when the pool can't have as many, PoolNotFound
 */
export async function restoreSize(
  clients: EksClients,
  ref: PoolRef,
  size: number,
  timing: UpdateTiming,
): Promise<void> {
  const observation = await requirePool(clients, ref);
  requireRoom(observation, size);
  await allowLaunching(clients, observation);
  await setSizes(clients, ref, ({ DesiredCapacity = 0 }) => ({ desired: Math.max(DesiredCapacity, size) }), timing);
}

function requireRoom({ ref, nodegroup, group }: PoolObservation, size: number): void {
  if (group === undefined || nodegroup.status === 'DELETING') {
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `${poolSubject(ref)} gets no instances any more: the node group is ${nodegroup.status}`,
      hint: 'Abort the run: then the new nodes stay.',
    });
  }
  const { MaxSize = 0 } = group;
  if (MaxSize >= size) return;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(ref)} can't have ${size} instances again: its maximum size is ${MaxSize}`,
    hint: `Raise the maximum size of the node group to ${size}, then resume; or abort the run: then the new nodes stay.`,
  });
}

/** `trimPool` suspends Launch and records that in the tag, from which it is restored. Whoever else suspended it has to resume it. */
async function allowLaunching(clients: EksClients, observation: PoolObservation): Promise<void> {
  const { ref, nodegroup, group } = observation;
  if (group?.SuspendedProcesses?.some(({ ProcessName }) => ProcessName === launching) !== true) return;
  if (suspendedSettings(nodegroup)?.includes(launching) === true)
    return await resume(clients, observation, [launching]);
  const name = group.AutoScalingGroupName;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(ref)} launches no instances: somebody has suspended ${launching} of Auto Scaling group ${name}`,
    hint: `Run: aws autoscaling resume-processes --auto-scaling-group-name ${name} --scaling-processes ${launching}. Then resume the run; or abort it: then the new nodes stay.`,
  });
}
