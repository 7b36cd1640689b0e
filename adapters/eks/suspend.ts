import { type AutoScalingGroup, ResumeProcessesCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { TagResourceCommand, UntagResourceCommand } from '@aws-sdk/client-eks';
import type { PoolRef, SuspensionToken } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { countByZone, isLopsided } from '../../core/surge/balance.ts';
import { entriesOf, tokenOf } from '../calls/suspension-token.ts';
import { callEks } from './errors.ts';
import { mapInstances, type PoolObservation } from './map.ts';
import { type EksClients, findPool, poolSubject, requirePool } from './observe.ts';
import {
  launching,
  minSizeOf,
  ownersMinSize,
  ownersMinSizeTag,
  processesOf,
  suspendedSettings,
  suspendedTag,
  suspendedTagValue,
  suspensionEntries,
  zoneRebalancing,
} from './settings-tag.ts';
import { liveInstances, setMinSize, setSizes, type UpdateTiming } from './sizes.ts';

/**
 * Suspends what Auto Scaling does on its own and lowers the minimum size to zero. Otherwise TerminateInstanceInAutoScalingGroup would be refused for
 * the last instances. Returns what it changed, without what others had suspended before. The same entries are kept in a tag, so that a repeated call
 * returns the same. @throws NodeferryError Conflict while the pool has no Auto Scaling group yet
 */
export async function suspendScaling(
  clients: EksClients,
  ref: PoolRef,
  timing: UpdateTiming,
): Promise<SuspensionToken> {
  const observation = await requirePool(clients, ref);
  if (observation.group === undefined) {
    throw new NodeferryError({
      code: 'Conflict',
      message: `${poolSubject(ref)} has no Auto Scaling group yet (${observation.nodegroup.status}), so there is nothing to suspend`,
    });
  }
  const known = suspendedSettings(observation.nodegroup) ?? [];
  // An earlier run may have left some of it suspended; that stays ours to restore.
  const entries = [...new Set([...known, ...suspensionEntries(observation.group, observation.nodegroup)])];
  if (entries.length === 0) return tokenOf([]);
  if (entries.length > known.length) await tagSuspended(clients, observation, entries);
  await suspend(clients, observation, processesOf(entries));
  if (minSizeOf(entries) !== undefined) await setMinSize(clients, ref, 0, timing);
  return tokenOf(entries);
}

/**
 * Restores what `suspendScaling` changed: the entries of the token and those in the tag; and the minimum size of a replacement that may not have shrunk. The
 * minimum is restored only up to the number of instances left, because a higher one would launch instances. In a group whose zones are not balanced, rebalancing stays suspended: Auto Scaling would launch an instance
 * in the smaller zone and terminate one in the larger, even if it serves. Returns what stays suspended, as text. A pool that is deleted or being
 * deleted needs nothing.
 */
export async function restoreScaling(
  clients: EksClients,
  ref: PoolRef,
  token: SuspensionToken | undefined,
  timing: UpdateTiming,
): Promise<readonly string[]> {
  const observation = await findPool(clients, ref);
  if (observation?.group === undefined || observation.nodegroup.status === 'DELETING') return [];
  const suspended = suspendedSettings(observation.nodegroup);
  const entries = [...new Set([...(suspended ?? []), ...entriesOf(token)])];
  const owners = ownersMinSize(observation.nodegroup);
  const minSize = minSizeOf(entries) ?? owners;
  if (minSize !== undefined) {
    await setMinSize(clients, ref, Math.min(minSize, observation.group.DesiredCapacity ?? 0), timing);
  }
  const kept = entries.includes(zoneRebalancing) && isLopsidedGroup(observation.group) ? [zoneRebalancing] : [];
  await resume(
    clients,
    observation,
    processesOf(entries).filter((process) => !kept.includes(process)),
  );
  if (kept.length > 0) await tagSuspended(clients, observation, kept);
  await untag(clients, observation, [
    ...(kept.length === 0 && suspended !== undefined ? [suspendedTag] : []),
    ...(owners === undefined ? [] : [ownersMinSizeTag]),
  ]);
  return kept.map(() => explainKept(observation.group));
}

/**
 * Lowers the desired size to the number of existing instances. During that change no instance may be launched, or Auto Scaling would terminate one of
 * its own choice. So launching is suspended, which the tag records, until scaling is restored.
 */
export async function trimPool(clients: EksClients, ref: PoolRef, timing: UpdateTiming): Promise<void> {
  const observation = await requirePool(clients, ref);
  if (observation.group === undefined || !isMissing(observation.group)) return;
  const suspended = (observation.group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName);
  if (!suspended.includes(launching)) {
    await tagSuspended(clients, observation, [
      ...new Set([...(suspendedSettings(observation.nodegroup) ?? []), launching]),
    ]);
    await suspend(clients, observation, [launching]);
  }
  await setSizes(
    clients,
    ref,
    (group) => {
      const size = liveInstances(group).length;
      return isMissing(group) ? { desired: size, min: Math.min(size, group.MinSize ?? 0) } : {};
    },
    timing,
  );
}

function isMissing(group: AutoScalingGroup): boolean {
  return liveInstances(group).length < (group.DesiredCapacity ?? 0);
}

function isLopsidedGroup(group: AutoScalingGroup): boolean {
  return isLopsided(liveInstances(group), group.AvailabilityZones ?? []);
}

function explainKept(group: AutoScalingGroup | undefined): string {
  const name = group?.AutoScalingGroupName ?? '';
  const counts = countByZone(mapInstances(group), group?.AvailabilityZones ?? []);
  const zones = [...counts].map(([zone, count]) => `${zone} ${count}`).join(', ');
  return (
    `Auto Scaling group ${name}: ${zoneRebalancing} stays suspended, because its zones are not balanced (${zones}) and it would terminate an instance ` +
    `that serves; resume it with: aws autoscaling resume-processes --auto-scaling-group-name ${name} --scaling-processes ${zoneRebalancing}`
  );
}

async function suspend(
  { autoScaling, beforeChange }: EksClients,
  { ref, group }: PoolObservation,
  processes: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  await beforeChange?.();
  await callEks('autoscaling:SuspendProcesses', poolSubject(ref), () =>
    autoScaling.send(
      new SuspendProcessesCommand({
        AutoScalingGroupName: group?.AutoScalingGroupName,
        ScalingProcesses: [...processes],
      }),
    ),
  );
}

/** Resumes these processes. A call without names would resume all of them, including those that others suspended. */
export async function resume(
  { autoScaling, beforeChange }: EksClients,
  { ref, group }: PoolObservation,
  processes: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  await beforeChange?.();
  await callEks('autoscaling:ResumeProcesses', poolSubject(ref), () =>
    autoScaling.send(
      new ResumeProcessesCommand({
        AutoScalingGroupName: group?.AutoScalingGroupName,
        ScalingProcesses: [...processes],
      }),
    ),
  );
}

async function tagSuspended(
  { eks, beforeChange }: EksClients,
  { ref, nodegroup }: PoolObservation,
  entries: readonly string[],
): Promise<void> {
  await beforeChange?.();
  await callEks('eks:TagResource', poolSubject(ref), () =>
    eks.send(
      new TagResourceCommand({
        resourceArn: nodegroup.nodegroupArn,
        tags: { [suspendedTag]: suspendedTagValue(entries) },
      }),
    ),
  );
}

async function untag(
  { eks, beforeChange }: EksClients,
  { ref, nodegroup }: PoolObservation,
  tagKeys: readonly string[],
): Promise<void> {
  if (tagKeys.length === 0) return;
  await beforeChange?.();
  await callEks('eks:UntagResource', poolSubject(ref), () =>
    eks.send(new UntagResourceCommand({ resourceArn: nodegroup.nodegroupArn, tagKeys: [...tagKeys] })),
  );
}
