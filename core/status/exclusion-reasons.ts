import { listNames } from '../text/format.ts';
import type { Evidence, NodeStatus } from './status.ts';

/** What was observed and, if the guard decided it, why. */
export function describeEvidence({ detail, because }: Evidence): string {
  return because === undefined ? detail : `${detail}, because ${because}`;
}

/**
 * Why the guard allowed nodes to be excluded, one line for each reason with its nodes, in the order of their exclusion. For a node that was
 * excluded more than once, the last exclusion counts. Nodes whose evidence has no reason are left out.
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
