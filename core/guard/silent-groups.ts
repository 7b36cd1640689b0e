/** Target groups to which a load balancer may send nothing, or everything, because no target of them is healthy. */
import { hasPods, type TargetGroupFacts } from '../model/target-group.ts';

/** What the baseline of a Service tells of its target groups. */
interface KnownGroups {
  readonly service: string;
  /** IDs of those that have had a healthy target. */
  readonly groups?: readonly string[];
}

/**
 * The groups, with a note on those that no observation of the run has shown with a healthy target: what never served is not missed, so nobody waits
 * until their targets are healthy, and they do not hide what the other groups of their Service serve. A group that had one before keeps its claim, and so does one of a baseline that does not tell.
 */
export function noteSilent(
  groups: readonly TargetGroupFacts[],
  baselines: readonly KnownGroups[],
): readonly TargetGroupFacts[] {
  if (!groups.some((group) => isMute(group))) return groups;
  const known = new Map(baselines.map((baseline) => [baseline.service, baseline]));
  return groups.map((group) => {
    const baseline = known.get(group.service);
    const isSilent = isMute(group) && (baseline === undefined || baseline.groups?.includes(group.id) === false);
    return isSilent ? { ...group, silent: true } : group;
  });
}

/** Whether no target of the group is healthy. */
export function isMute({ targets }: TargetGroupFacts): boolean {
  return !targets.some(({ state }) => state === 'healthy');
}

/**
 * IDs of the groups with a healthy target, and of those that had one before. Undefined where none is a group of pods and all have one, so that all of them
 * count for good, and where an earlier baseline does not tell.
 */
export function learnGroups(
  known: Pick<KnownGroups, 'groups'> | undefined,
  groups: readonly TargetGroupFacts[],
): readonly string[] | undefined {
  const isTold = known === undefined ? groups.some((one) => hasPods(one) || isMute(one)) : known.groups !== undefined;
  if (!isTold) return undefined;
  const healthy = groups.flatMap((group) => (isMute(group) ? [] : group.id));
  return [...new Set([...(known?.groups ?? []), ...healthy])].toSorted();
}
