import { listNames } from '../text/format.ts';
import type { Evidence, NodeStatus } from './status.ts';

/** What was seen and, where the guard decided it, why. */
export function describeEvidence({ detail, because }: Evidence): string {
  return because === undefined ? detail : `${detail}, because ${because}`;
}

/**
 * Why the guard let nodes be excluded, one line for each reason with the nodes that it holds for, in the order of their exclusion. Of a
 * node that was excluded more than once the last time counts. Nothing of nodes whose evidence tells no reason.
 */
export function listExclusionReasons(nodes: readonly NodeStatus[]): readonly string[] {
  const excluded = nodes.flatMap(({ node, evidence }) => {
    const last = evidence.findLast(({ kind }) => kind === 'excluded');
    return last?.because === undefined ? [] : [{ name: node.name, at: last.at, because: last.because }];
  });
  const byReason = Map.groupBy(
    excluded.toSorted((a, b) => a.at - b.at),
    ({ because }) => because,
  );
  return [...byReason].map(([because, of]) => `${because}: ${listNames(of.map(({ name }) => name))}`);
}
