import { bytesOf, limits } from '../plan/limits.ts';
import { formatTime } from '../text/format.ts';
import type { Evidence, ForeignAct, NodeStatus, RunReport, RunStatus } from './status.ts';

/** Of what others did to one node, and of what could not be protected on it, so much is told when all of it would be too much. */
const mostOfNode = 3;
/** Of what a run could not protect. */
const mostOfRun = 200;
/** Characters of what was seen in one moment. */
const mostOfDetail = 60;

/** From what can best be missed to what can't: when each moment was seen is always told. */
const cuts: readonly ((node: NodeStatus) => NodeStatus)[] = [
  ({ foreignActs, notProtected, ...node }) => ({
    ...node,
    ...(foreignActs === undefined ? {} : { foreignActs: latest(foreignActs) }),
    ...(notProtected === undefined ? {} : { notProtected: shorten(notProtected, mostOfNode) }),
  }),
  (node) => ({ ...node, evidence: node.evidence.map((one) => cutDetail(one, mostOfDetail)) }),
  ({ foreignActs: _acts, notProtected: _told, ...node }) => ({
    ...node,
    evidence: node.evidence.map((one) => cutDetail(one, 0)),
  }),
];

/**
 * The status or report of a run, small enough for Temporal to take: a run whose report is too large could never end. Nothing is cut
 * as long as it fits; then as much as it takes, from all nodes alike.
 */
export function fitStatus<T extends RunStatus | RunReport>(status: T, mostBytes = limits.payloadBytes): T {
  let fitting = status;
  for (const cut of cuts) {
    if (bytesOf(fitting) <= mostBytes) return fitting;
    fitting = { ...fitting, nodes: fitting.nodes.map(cut) };
    if ('notProtected' in fitting) fitting = { ...fitting, notProtected: shorten(fitting.notProtected, mostOfRun) };
  }
  return fitting;
}

function latest(acts: readonly ForeignAct[]): readonly ForeignAct[] {
  const left = acts.slice(-mostOfNode);
  const [first] = left;
  if (first === undefined || left.length === acts.length) return acts;
  const before = { at: first.at, what: `${acts.length - left.length} more before ${formatTime(first.at)}` };
  return [before, ...left];
}

function shorten(texts: readonly string[], most: number): readonly string[] {
  return texts.length <= most ? texts : [...texts.slice(0, most), `${texts.length - most} more`];
}

function cutDetail(one: Evidence, most: number): Evidence {
  return one.detail.length <= most ? one : { ...one, detail: most === 0 ? '' : `${one.detail.slice(0, most - 1)}…` };
}
