import { indexOf } from '../../model/cluster-index.ts';
import { compareText } from '../../text/format.ts';
import type { Finding } from '../finding.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-028: workloads in the middle of a rollout. Nodes with their pods wait until it ends, unless it has stopped half way. */
export const wkl028RollsOut: ClusterRule = (question) => {
  const index = indexOf(question.facts.cluster);
  const keys = new Set(podsToMove(question).flatMap(({ workload, released }) => released?.workload ?? workload ?? []));
  return [...keys].toSorted(compareText).flatMap((key): readonly Finding[] => {
    const workload = index.workload(key);
    if (workload === undefined) return [];
    const { namespace, name, kind, rollingOut, stalled } = workload;
    const about = { rule: 'WKL-028', severity: 'warning', subject: key } as const;
    const status = `kubectl -n ${namespace} rollout status ${kind.toLowerCase()}/${name}`;
    if (stalled !== undefined) {
      const message = `its rollout has stopped half way: ${stalled}; its pods are moved as they are`;
      return [{ ...about, message, hint: `Undo it or fix the new version before the run; see ${status}` }];
    }
    if (!rollingOut) return [];
    const message = 'it rolls out: nodes with its pods wait until that is over';
    return [{ ...about, message, hint: `Start the run when it is over; see ${status}` }];
  });
};
