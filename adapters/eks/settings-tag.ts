import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Nodegroup } from '@aws-sdk/client-eks';

/**
 * Tag on a node group that is held: everything that we changed on it, so that it can be put back even when the answer
 * of the call that changed it was lost. It is written before the change and removed after everything is back.
 */
export const suspendedTag = 'nodeferry.dev/suspended';

/** The process by which Auto Scaling moves machines between zones. */
export const zoneRebalancing = 'AZRebalance';

/** The process by which Auto Scaling starts machines. */
export const launching = 'Launch';

/**
 * Processes by which Auto Scaling adds, moves or removes machines by itself (Auto Scaling user guide, "Suspend and resume
 * processes"). `Launch` and `Terminate` stay: new machines must come and old ones must go when we say so.
 */
const suspendedProcesses = [
  zoneRebalancing,
  'ReplaceUnhealthy',
  'AlarmNotification',
  'ScheduledActions',
  'InstanceRefresh',
] as const;

const minSizePrefix = 'min-size:';

/** The ledger entry for a minimum size, e.g. `min-size:2`. */
function minSizeEntry(size: number): string {
  return `${minSizePrefix}${size}`;
}

/** What holding this group changes: processes that nobody else has suspended, and a minimum size above zero. */
export function suspensionEntries(group: AutoScalingGroup): string[] {
  const suspended = new Set((group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName));
  const size = group.MinSize ?? 0;
  return [...suspendedProcesses.filter((name) => !suspended.has(name)), ...(size > 0 ? [minSizeEntry(size)] : [])];
}

/** Entries of the tag on the node group; undefined when it is not held. Space separated, as tag values allow no comma. */
export function suspendedSettings(nodegroup: Nodegroup): string[] | undefined {
  const value = nodegroup.tags?.[suspendedTag];
  return value === undefined ? undefined : value.split(' ').filter((entry) => entry !== '');
}

/** The entries as a tag value. */
export function suspendedTagValue(entries: readonly string[]): string {
  return entries.join(' ');
}

/** The processes among ledger entries. */
export function processesOf(entries: readonly string[]): string[] {
  return entries.filter((entry) => !entry.startsWith(minSizePrefix));
}

/** The minimum size among ledger entries. */
export function minSizeOf(entries: readonly string[]): number | undefined {
  const entry = entries.find((candidate) => candidate.startsWith(minSizePrefix));
  return entry === undefined ? undefined : Number(entry.slice(minSizePrefix.length));
}

/** The minimum size that the owner of the node group chose, whether it is held now or not. */
export function originalMinSize(nodegroup: Nodegroup): number | undefined {
  return minSizeOf(suspendedSettings(nodegroup) ?? []) ?? nodegroup.scalingConfig?.minSize;
}
