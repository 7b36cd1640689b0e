import { ownerOf, type PodFacts } from '../../model/pod.ts';
import { listNames } from '../../text/format.ts';
import type { Finding } from '../finding.ts';

/** What a rule says of one pod. */
export type PodFinding = Omit<Finding, 'rule' | 'subject'>;

/**
 * Findings about pods, one per workload: a thousand pods of one Deployment with the same fault are one thing to fix, and one line of a plan that
 * has to fit into a workflow's history.
 */
export function groupByWorkload(
  rule: string,
  pods: readonly PodFacts[],
  tell: (pod: PodFacts) => PodFinding | undefined,
): readonly Finding[] {
  const told = pods.flatMap((pod) => {
    const finding = tell(pod);
    return finding === undefined ? [] : [{ pod, finding }];
  });
  const groups = Map.groupBy(told, ({ pod, finding }) => `${ownerOf(pod)}|${finding.severity}|${finding.message}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ rule, subject: subjectOf(group.map(({ pod }) => pod)), ...first.finding }];
  });
}

function subjectOf(pods: readonly PodFacts[]): string {
  const names = pods.map((pod) => `${pod.namespace}/${pod.name}`).toSorted();
  if (pods.length === 1) return `pod ${names[0]}`;
  const owner = pods[0] === undefined ? '' : ownerOf(pods[0]);
  return `${pods.length} pods of ${owner} (${listNames(names)})`;
}
