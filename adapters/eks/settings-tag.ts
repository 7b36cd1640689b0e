import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Nodegroup } from '@aws-sdk/client-eks';

/**
 * Tag on a node group whose scaling is suspended: everything that nodeferry changed on it. It allows a restore even when the response to the change
 * was lost. It is written before the change and removed after everything is restored.
 */
export const suspendedTag = 'nodeferry.dev/suspended';

/** The process by which Auto Scaling rebalances instances across zones. */
export const zoneRebalancing = 'AZRebalance';

/** The process by which Auto Scaling launches instances. */
export const launching = 'Launch';

/**
 * Processes by which Auto Scaling adds, moves or removes instances on its own (Auto Scaling user guide, "Suspend and resume processes"). `Launch` and
 * `Terminate` stay active: new instances must be launched, and old ones terminated when nodeferry asks for it.
 */
const suspendedProcesses = [
  zoneRebalancing,
  'ReplaceUnhealthy',
  'AlarmNotification',
  'ScheduledActions',
  'InstanceRefresh',
] as const;

const minSizePrefix = 'min-size:';

/** The entry for a minimum size, e.g. `min-size:2`. */
function minSizeEntry(size: number): string {
  return `${minSizePrefix}${size}`;
}

/** What suspending the scaling of this group changes: processes that nobody else has suspended, and a minimum size above zero. */
export function suspensionEntries(group: AutoScalingGroup): string[] {
  const suspended = new Set((group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName));
  const size = group.MinSize ?? 0;
  return [...suspendedProcesses.filter((name) => !suspended.has(name)), ...(size > 0 ? [minSizeEntry(size)] : [])];
}

/**
 * Entries of the tag on the node group; undefined when its scaling is not suspended. They are separated by spaces, because tag values allow no comma.
 */
export function suspendedSettings(nodegroup: Nodegroup): string[] | undefined {
  const value = nodegroup.tags?.[suspendedTag];
  return value === undefined ? undefined : value.split(' ').filter((entry) => entry !== '');
}

/** The entries as a tag value. */
export function suspendedTagValue(entries: readonly string[]): string {
  return entries.join(' ');
}

/** The entries for people. */
export function explainEntries(entries: readonly string[]): readonly string[] {
  const size = minSizeOf(entries);
  return [...processesOf(entries), ...(size === undefined ? [] : [`minimum size ${size}`])];
}

/** The processes among the entries. */
export function processesOf(entries: readonly string[]): string[] {
  return entries.filter((entry) => !entry.startsWith(minSizePrefix));
}

/** The minimum size among the entries. */
export function minSizeOf(entries: readonly string[]): number | undefined {
  const entry = entries.find((candidate) => candidate.startsWith(minSizePrefix));
  return entry === undefined ? undefined : Number(entry.slice(minSizePrefix.length));
}

/** The minimum size that the owner of the node group chose, whether or not its scaling is suspended now. */
export function originalMinSize(nodegroup: Nodegroup): number | undefined {
  return minSizeOf(suspendedSettings(nodegroup) ?? []) ?? nodegroup.scalingConfig?.minSize;
}
