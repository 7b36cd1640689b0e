import type { ExternalChange } from '../model/external-change.ts';
import { bytesOf, maxPayloadBytes } from '../text/bytes.ts';
import { formatTime } from '../text/format.ts';
import type { Evidence, NodeStatus, RunReport, RunStatus } from './status.ts';

/** How much is kept of the external changes of one node, and of what could not be protected on it, when everything would be too large. */
const maxOfNode = 3;
/** How much is kept of what a run could not protect. */
const maxOfRun = 200;
/** Characters kept of each piece of evidence. */
const maxDetail = 60;

/** From the least to the most important. The time of each piece of evidence is always kept. */
const cuts: readonly ((node: NodeStatus) => NodeStatus)[] = [
  ({ externalChanges, unprotected, ...node }) => ({
    ...node,
    ...(externalChanges === undefined ? {} : { externalChanges: latest(externalChanges) }),
    ...(unprotected === undefined ? {} : { unprotected: shorten(unprotected, maxOfNode) }),
  }),
  (node) => ({ ...node, evidence: node.evidence.map((one) => cutDetail(one, maxDetail)) }),
  ({ externalChanges: _acts, unprotected: _told, ...node }) => ({
    ...node,
    evidence: node.evidence.map((one) => cutDetail(one, 0)),
  }),
];

/**
 * The status or report of a run, small enough for Temporal: a run whose report is too large could never end. Nothing is cut while it fits.
 * Otherwise as little as possible is cut, equally from all nodes.
 */
export function truncateStatus<T extends RunStatus | RunReport>(status: T, maxBytes = maxPayloadBytes): T {
  let fitting = status;
  for (const cut of cuts) {
    if (bytesOf(fitting) <= maxBytes) return fitting;
    fitting = { ...fitting, nodes: fitting.nodes.map(cut) };
    if ('unprotected' in fitting) fitting = { ...fitting, unprotected: shorten(fitting.unprotected, maxOfRun) };
  }
  return fitting;
}

function latest(acts: readonly ExternalChange[]): readonly ExternalChange[] {
  const left = acts.slice(-maxOfNode);
  const [first] = left;
  if (first === undefined || left.length === acts.length) return acts;
  const before = { at: first.at, what: `${acts.length - left.length} more before ${formatTime(first.at)}` };
  return [before, ...left];
}

function shorten(texts: readonly string[], most: number): readonly string[] {
  return texts.length <= most ? texts : [...texts.slice(0, most), `${texts.length - most} more`];
}

/** If there is no space at all, the reason is left out. */
function cutDetail({ because, ...one }: Evidence, most: number): Evidence {
  const told = because === undefined || most === 0 ? {} : { because: cutText(because, most) };
  return { ...one, detail: cutText(one.detail, most), ...told };
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return most === 0 ? '' : `${text.slice(0, most - 1)}…`;
}
