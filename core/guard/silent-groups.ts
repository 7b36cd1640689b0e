/** Groups of pods to which a load balancer may send nothing, or everything, because no target of them is healthy. */
import { hasPods, type TargetGroupFacts } from '../model/target-group.ts';

/** What the baseline of a Service tells of its groups of pods. */
interface KnownGroups {
  readonly service: string;
  /** IDs of those that have had a healthy target. */
  readonly groups?: readonly string[];
}

/**
 * The groups, with a note on those of pods that no observation of the run has shown with a healthy target: what never served is not missed, so nobody
 * waits until their targets are healthy. A group that had one before keeps its claim, and so does one of a baseline that does not tell.
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

/** Whether a target of the group is healthy now. */
function hasHealthy({ targets }: TargetGroupFacts): boolean {
  return targets.some(({ state }) => state === 'healthy');
}

/** Whether this is a group of pods without a healthy target. */
export function isMute(group: TargetGroupFacts): boolean {
  return hasPods(group) && !hasHealthy(group);
}

/** IDs of the groups of pods with a healthy target, and of those that had one before. Undefined where there is no group of pods, and where an earlier baseline does not tell. */
export function learnGroups(
  known: Pick<KnownGroups, 'groups'> | undefined,
  groups: readonly TargetGroupFacts[],
): readonly string[] | undefined {
  if (known === undefined ? !groups.some(hasPods) : known.groups === undefined) return undefined;
  const healthy = groups.flatMap((group) => (hasPods(group) && hasHealthy(group) ? group.id : []));
  return [...new Set([...(known?.groups ?? []), ...healthy])].toSorted();
}
