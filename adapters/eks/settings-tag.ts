import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Nodegroup } from '@aws-sdk/client-eks';

/**
 * Tag on a node group whose scaling is suspended: everything that nodeferry changed on it. It allows a restore even when the response to the change
 * was lost. It is written before the change and removed after everything is restored.
 */
export const suspendedTag = 'nodeferry.dev/suspended';
/**
 * Tag on a replacement node group: the minimum size that the owner of its source chose, while the group may not shrink below the size that was asked
 * for. It is there from the creation on, and removed when that minimum is restored.
 */
export const ownersMinSizeTag = 'nodeferry.dev/min-size';

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

/**
 * What suspending the scaling of this group changes: processes that nobody else has suspended, and a minimum size above zero. One that we have raised
 * ourselves is restored as the owner chose it.
 */
export function suspensionEntries(group: AutoScalingGroup, nodegroup: Nodegroup): string[] {
  const suspended = new Set((group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName));
  const { MinSize: size = 0 } = group;
  return [
    ...suspendedProcesses.filter((name) => !suspended.has(name)),
    ...(size > 0 ? [minSizeEntry(ownersMinSize(nodegroup) ?? size)] : []),
  ];
}

/**
 * Entries of the tag on the node group; undefined when its scaling is not suspended. They are separated by spaces, because tag values allow no comma.
 */
export function suspendedSettings(nodegroup: Nodegroup): string[] | undefined {
  const value = nodegroup.tags?.[suspendedTag];
  return value === undefined ? undefined : value.split(' ').filter((entry) => entry !== '');
}

/** The minimum size that a replacement is to have once it may shrink; undefined for any other node group, and after that. */
export function ownersMinSize({ tags }: Nodegroup): number | undefined {
  const value = tags?.[ownersMinSizeTag];
  return value === undefined ? undefined : Number(value);
}

/**
 * What of the node group is not as its owner chose, because of us: what is suspended, or the minimum size of a replacement whose run has not restored that.
 * Undefined when nothing is.
 */
export function changedSettings(nodegroup: Nodegroup): string[] | undefined {
  const size = ownersMinSize(nodegroup);
  return suspendedSettings(nodegroup) ?? (size === undefined ? undefined : [minSizeEntry(size)]);
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

/** The minimum size that the owner of the node group chose, whether or not its scaling is suspended, or raised by us, now. */
export function originalMinSize(nodegroup: Nodegroup): number {
  const recorded = minSizeOf(suspendedSettings(nodegroup) ?? []) ?? ownersMinSize(nodegroup);
  return recorded ?? nodegroup.scalingConfig?.minSize ?? 0;
}
