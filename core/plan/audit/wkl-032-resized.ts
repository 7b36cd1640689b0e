import { ownerOf } from '../../model/pod.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-032: pods whose replacements get other requests when they are created than the pods have now. */
export const wkl032Resized: ClusterRule = (question) => {
  const { resizers = [] } = question.facts.cluster;
  if (resizers.length === 0) return [];
  const byWorkload = new Map(resizers.map((one) => [one.workload, one.key]));
  return groupByWorkload('WKL-032', podsToMove(question), (pod) => {
    const resizer = byWorkload.get(ownerOf(pod));
    if (resizer === undefined) return undefined;
    return {
      severity: 'info',
      message: `${resizer} gives its replacements the requests that it recommends by then: they may not fit where these pods fit`,
      hint: 'Compare its recommendation with what a new node has (kubectl describe vpa).',
    };
  });
};
