import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-017: pods that no controller starts again: bare pods, and those of DaemonSets that no longer exist. */
export const wkl017BarePod: ClusterRule = (question) => {
  const { force } = question.policy.drain;
  return groupByWorkload('WKL-017', podsToMove(question), (pod) => {
    if (pod.mirror || pod.endpointsRemoved !== undefined || pod.released !== undefined) return undefined;
    if (pod.ownerKind !== 'none' && pod.orphaned !== true) return undefined;
    const who = pod.orphaned === true ? `DaemonSet ${pod.ownerName} does not exist: nothing` : 'no controller';
    const isSafe = pod.safeToEvict === 'true';
    if (force || isSafe)
      return {
        severity: 'warning',
        message: `${who} starts it again: the run ends it (${force ? 'force' : 'safe-to-evict'})`,
        hint: 'Give it a controller if it is still needed.',
      };
    return {
      severity: 'blocker',
      message: `${who} would start it again`,
      hint: 'Give it a controller, delete it, or accept its loss with spec.drain.force.',
    };
  });
};
