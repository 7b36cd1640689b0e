import { isNodeBound } from '../../eviction/node-bound.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-018: emptyDir data ends with the pod. */
export const wkl018EmptyDir: ClusterRule = (question) => {
  const { deleteEmptyDirData } = question.policy.drain;
  return groupByWorkload('WKL-018', podsToMove(question), (pod) => {
    if (!pod.hasEmptyDir || isNodeBound(pod)) return undefined;
    const allowedBy = deleteEmptyDirData ? 'deleteEmptyDirData' : 'safe-to-evict';
    const refused = !deleteEmptyDirData && pod.safeToEvict !== 'true';
    return {
      severity: refused ? 'blocker' : 'info',
      message: refused ? 'it has emptyDir data, which would be lost' : `its emptyDir data is lost (${allowedBy})`,
      hint: 'Move the data to a volume, or accept its loss with spec.drain.deleteEmptyDirData.',
    };
  });
};
