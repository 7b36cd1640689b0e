import { type AutoScalingGroup, ResumeProcessesCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { TagResourceCommand, UntagResourceCommand } from '@aws-sdk/client-eks';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { countByZone, isLopsided } from '../../core/plan/balance.ts';
import { callEks } from './errors.ts';
import {
  heldEntries,
  heldTag,
  heldTagValue,
  holdEntries,
  launching,
  minSizeOf,
  processesOf,
  zoneRebalancing,
} from './ledger.ts';
import { mapInstances, type PoolLook } from './map.ts';
import { type EksClients, findPool, poolSubject, requirePool } from './observe.ts';
import { livingIn, type Patience, setMinSize, setSizes } from './sizes.ts';

/**
 * Holds a pool: suspends what Auto Scaling does by itself and lowers the minimum size to zero, without which
 * TerminateInstanceInAutoScalingGroup is refused for the last machines. Answers what it changed; what others had suspended
 * is not in it. The same entries are kept in a tag, so that a repeated call gives the same answer.
 * @throws Conflict while the pool has no Auto Scaling group yet.
 */
export async function holdPool(clients: EksClients, ref: PoolRef, patience: Patience): Promise<readonly string[]> {
  const look = await requirePool(clients, ref);
  if (look.group === undefined) {
    throw new NodeferryError({
      code: 'Conflict',
      message: `${poolSubject(ref)} has no Auto Scaling group yet (${look.nodegroup.status}), so there is nothing to hold`,
    });
  }
  const known = heldEntries(look.nodegroup) ?? [];
  // An earlier run may have left a part of it held; what that was stays ours to put back.
  const entries = [...new Set([...known, ...holdEntries(look.group)])];
  if (entries.length === 0) return [];
  if (entries.length > known.length) await tagHeld(clients, look, entries);
  await suspend(clients, look, processesOf(entries));
  if (minSizeOf(entries) !== undefined) await setMinSize(clients, ref, 0, patience);
  return entries;
}

/**
 * Puts back what holdPool changed: the entries given and those in the tag. The minimum size comes back as far as the
 * machines that are left allow: a higher one would launch machines. A group whose zones are lopsided stays held from rebalancing them:
 * Auto Scaling would launch a machine in the smaller zone and end one in the larger, whatever that serves. Answers what stays held, in
 * words. A pool that is gone or going needs nothing.
 */
export async function releasePool(
  clients: EksClients,
  ref: PoolRef,
  given: readonly string[],
  patience: Patience,
): Promise<readonly string[]> {
  const look = await findPool(clients, ref);
  if (look?.group === undefined || look.nodegroup.status === 'DELETING') return [];
  const held = heldEntries(look.nodegroup);
  const entries = [...new Set([...(held ?? []), ...given])];
  const minSize = minSizeOf(entries);
  if (minSize !== undefined) {
    await setMinSize(clients, ref, Math.min(minSize, look.group.DesiredCapacity ?? 0), patience);
  }
  const kept = entries.includes(zoneRebalancing) && isLopsidedGroup(look.group) ? [zoneRebalancing] : [];
  await resume(
    clients,
    look,
    processesOf(entries).filter((process) => !kept.includes(process)),
  );
  if (kept.length > 0) await tagHeld(clients, look, kept);
  else if (held !== undefined) await untagHeld(clients, look);
  return kept.map(() => tellKept(look.group));
}

/**
 * Lowers the size to that of the machines that are there. While that is asked for, none may come, or Auto Scaling would end one of its own
 * choice for it: launching is suspended, which the tag keeps, and stays so until the pool is released.
 */
export async function forgoMissing(clients: EksClients, ref: PoolRef, patience: Patience): Promise<void> {
  const look = await requirePool(clients, ref);
  if (look.group === undefined || !isMissing(look.group)) return;
  const suspended = (look.group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName);
  if (!suspended.includes(launching)) {
    await tagHeld(clients, look, [...new Set([...(heldEntries(look.nodegroup) ?? []), launching])]);
    await suspend(clients, look, [launching]);
  }
  await setSizes(
    clients,
    ref,
    (group) => {
      const size = livingIn(group).length;
      return isMissing(group) ? { desired: size, min: Math.min(size, group.MinSize ?? 0) } : {};
    },
    patience,
  );
}

function isMissing(group: AutoScalingGroup): boolean {
  return livingIn(group).length < (group.DesiredCapacity ?? 0);
}

function isLopsidedGroup(group: AutoScalingGroup): boolean {
  return isLopsided(livingIn(group), group.AvailabilityZones ?? []);
}

function tellKept(group: AutoScalingGroup | undefined): string {
  const name = group?.AutoScalingGroupName ?? '';
  const counts = countByZone(mapInstances(group), group?.AvailabilityZones ?? []);
  const zones = [...counts].map(([zone, count]) => `${zone} ${count}`).join(', ');
  return (
    `Auto Scaling group ${name}: ${zoneRebalancing} stays suspended, because its zones are lopsided (${zones}) and it would end a machine ` +
    `that serves; end that with: aws autoscaling resume-processes --auto-scaling-group-name ${name} --scaling-processes ${zoneRebalancing}`
  );
}

async function suspend(
  { autoScaling }: EksClients,
  { ref, group }: PoolLook,
  processes: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  await callEks('autoscaling:SuspendProcesses', poolSubject(ref), () =>
    autoScaling.send(
      new SuspendProcessesCommand({
        AutoScalingGroupName: group?.AutoScalingGroupName,
        ScalingProcesses: [...processes],
      }),
    ),
  );
}

/** No names would mean all processes, those that others suspended included. */
async function resume(
  { autoScaling }: EksClients,
  { ref, group }: PoolLook,
  processes: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  await callEks('autoscaling:ResumeProcesses', poolSubject(ref), () =>
    autoScaling.send(
      new ResumeProcessesCommand({
        AutoScalingGroupName: group?.AutoScalingGroupName,
        ScalingProcesses: [...processes],
      }),
    ),
  );
}

async function tagHeld({ eks }: EksClients, { ref, nodegroup }: PoolLook, entries: readonly string[]): Promise<void> {
  await callEks('eks:TagResource', poolSubject(ref), () =>
    eks.send(
      new TagResourceCommand({ resourceArn: nodegroup.nodegroupArn, tags: { [heldTag]: heldTagValue(entries) } }),
    ),
  );
}

async function untagHeld({ eks }: EksClients, { ref, nodegroup }: PoolLook): Promise<void> {
  await callEks('eks:UntagResource', poolSubject(ref), () =>
    eks.send(new UntagResourceCommand({ resourceArn: nodegroup.nodegroupArn, tagKeys: [heldTag] })),
  );
}
