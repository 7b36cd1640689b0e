import {
  type AutoScalingGroup,
  ResumeProcessesCommand,
  SuspendProcessesCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TagResourceCommand, UntagResourceCommand, UpdateNodegroupConfigCommand } from '@aws-sdk/client-eks';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { countByZone, isLopsided } from '../../core/plan/balance.ts';
import type { Clock } from '../../ports/clock.ts';
import { callEks } from './errors.ts';
import { heldEntries, heldTag, heldTagValue, holdEntries, minSizeOf, processesOf, zoneRebalancing } from './ledger.ts';
import { mapInstances, type PoolLook } from './map.ts';
import { type EksClients, findPool, poolSubject, requirePool } from './observe.ts';

/** Time, and how long to wait for EKS to carry out a change of sizes. */
export interface Patience {
  readonly clock: Clock;
  /** Between two looks, ms. */
  readonly pollMs: number;
  /** For one change of a node group's sizes, ms. */
  readonly updateTimeoutMs: number;
}

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

function isLopsidedGroup(group: AutoScalingGroup): boolean {
  const living = mapInstances(group).filter(({ state }) => state === 'pending' || state === 'running');
  return isLopsided(living, group.AvailabilityZones ?? []);
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

/**
 * Changes the minimum size of a node group and waits until Auto Scaling has it and EKS has finished: until then EKS takes
 * no other change. Throws ProviderUnavailable when that takes longer than `updateTimeoutMs`.
 */
export async function setMinSize(clients: EksClients, ref: PoolRef, size: number, patience: Patience): Promise<void> {
  const deadline = patience.clock.now() + patience.updateTimeoutMs;
  let asked = false;
  for (;;) {
    const look = await requirePool(clients, ref);
    const { nodegroup, group } = look;
    const busy = nodegroup.status === 'UPDATING';
    if (!busy && group?.MinSize === size) return;
    if (!busy && !asked) {
      await updateMinSize(clients, look, size);
      asked = true;
    } else if (patience.clock.now() >= deadline) {
      throw new NodeferryError({
        code: 'ProviderUnavailable',
        message: `${poolSubject(ref)}: minimum size is ${group?.MinSize}, should be ${size}; the node group is ${nodegroup.status}`,
        hint: 'See the update history of the node group in EKS; another update may be stuck.',
      });
    }
    await patience.clock.sleep(patience.pollMs);
  }
}

/**
 * Names the minimum alone: the other sizes stay as they are. EKS takes changes of a node group that is ACTIVE or DEGRADED
 * only (EKS API reference, UpdateNodegroupConfig); one that never became whole is changed where the size takes effect.
 */
async function updateMinSize(
  { eks, autoScaling }: EksClients,
  { ref, nodegroup, group }: PoolLook,
  minSize: number,
): Promise<void> {
  const subject = `${poolSubject(ref)}: minimum size ${minSize}`;
  if (nodegroup.status === 'ACTIVE' || nodegroup.status === 'DEGRADED') {
    const command = { clusterName: ref.cluster, nodegroupName: ref.name, scalingConfig: { minSize } };
    await callEks('eks:UpdateNodegroupConfig', subject, () => eks.send(new UpdateNodegroupConfigCommand(command)));
  } else if (group !== undefined) {
    const command = { AutoScalingGroupName: group.AutoScalingGroupName, MinSize: minSize };
    await callEks('autoscaling:UpdateAutoScalingGroup', subject, () =>
      autoScaling.send(new UpdateAutoScalingGroupCommand(command)),
    );
  }
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
