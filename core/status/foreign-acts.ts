import { compareText } from '../text/format.ts';
import type { ForeignAct, RunStatus } from './status.ts';

/** Everything that others did during the run, to its nodes and to the rest, in the order in which it was noticed. */
export function allForeignActs({
  foreignActs,
  nodes,
}: Pick<RunStatus, 'foreignActs' | 'nodes'>): readonly ForeignAct[] {
  return [...foreignActs, ...nodes.flatMap((node) => node.foreignActs ?? [])].toSorted(
    (a, b) => a.at - b.at || compareText(a.what, b.what),
  );
}

/** As many acts of others are told of a run or a node, the latest. */
const toldAtMost = 50;

/** Adds what was noticed. What is noticed again is told once, when it was seen last: a standing condition must not drown the rest. */
export function addForeignActs(known: readonly ForeignAct[], noticed: readonly ForeignAct[]): readonly ForeignAct[] {
  const latest = new Map<string, ForeignAct>();
  for (const act of [...known, ...noticed]) {
    latest.delete(act.what);
    latest.set(act.what, act);
  }
  return [...latest.values()].slice(-toldAtMost);
}
