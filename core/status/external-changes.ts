import type { ExternalChange } from '../model/external-change.ts';
import { compareText } from '../text/format.ts';
import type { RunStatus } from './status.ts';

/** All external changes during the run, to its nodes and to the rest, in the order in which they were observed. */
export function allExternalChanges({
  externalChanges,
  nodes,
}: Pick<RunStatus, 'externalChanges' | 'nodes'>): readonly ExternalChange[] {
  return [...externalChanges, ...nodes.flatMap((node) => node.externalChanges ?? [])].toSorted(
    (a, b) => a.at - b.at || compareText(a.what, b.what),
  );
}

/** At most this many external changes are kept of a run or a node, the latest. */
const maxReported = 50;

/**
 * Adds what was observed. A repeated observation replaces the earlier one, with its latest time: a condition that persists must not push out the
 * rest.
 */
export function addExternalChanges(
  known: readonly ExternalChange[],
  noticed: readonly ExternalChange[],
): readonly ExternalChange[] {
  const latest = new Map<string, ExternalChange>();
  for (const act of [...known, ...noticed]) {
    latest.delete(act.what);
    latest.set(act.what, act);
  }
  return [...latest.values()].slice(-maxReported);
}
