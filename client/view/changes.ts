import { describeNode } from '../../core/status/describe-nodes.ts';
import { describeChange, describeRun } from '../../core/status/describe-run.ts';
import { describeEvidence } from '../../core/status/exclusion-reasons.ts';
import type { Line } from '../../core/status/line.ts';
import type { NodeStatus, RunStatus, Waiting } from '../../core/status/status.ts';
import { formatTime } from '../../core/text/format.ts';

/** A change of a run, or of one of its nodes, in words. */
interface Change {
  readonly node?: string;
  readonly text: string;
}

/** Says what changed between two observations, one line per change, for logs. Pure. */
export function describeChanges(before: RunStatus | undefined, after: RunStatus): string[] {
  const name = `${after.cluster}/${after.pool}`;
  return changesBetween(before, after).map(({ node, text }) => `${node === undefined ? name : `node ${node}`} ${text}`);
}

/** The same for programs. Pure. */
export function changesBetween(before: RunStatus | undefined, after: RunStatus): readonly Change[] {
  const old = before === undefined ? undefined : describeRun(before);
  const { alerts, traffic } = describeRun(after);
  const lines: string[] = [];
  if (before?.phase !== after.phase) lines.push(`phase ${after.phase}`);
  if (after.waiting && hasNews(before?.waiting, after.waiting)) lines.push(`waiting: ${after.waiting.for}`);
  lines.push(...news(old?.alerts, alerts));
  if (before?.paused && !after.paused) lines.push('resumed');
  for (const act of after.externalChanges.slice(before?.externalChanges.length ?? 0))
    lines.push(describeChange(act).text);
  if (lastSpell(after) > (before === undefined ? 0 : lastSpell(before)))
    for (const { text } of traffic.slice(1)) lines.push(`probes: ${text}`);
  return [...lines.map((text) => ({ text })), ...after.nodes.flatMap((node) => changesOfNode(before, node))];
}

function changesOfNode(before: RunStatus | undefined, node: NodeStatus): readonly Change[] {
  const old = before?.nodes.find((other) => other.node.uid === node.node.uid);
  const lines: string[] = [];
  if (old && old.step !== node.step) lines.push(node.step);
  lines.push(...news(sentencesOf(old), sentencesOf(node)));
  for (const act of (node.externalChanges ?? []).slice(old?.externalChanges?.length ?? 0))
    lines.push(describeChange(act).text);
  for (const evidence of node.evidence.slice(old?.evidence.length ?? 0))
    lines.push(`${evidence.kind} at ${formatTime(evidence.at)}: ${describeEvidence(evidence)}`);
  if (node.waiting && hasNews(old?.waiting, node.waiting)) lines.push(`waiting: ${node.waiting.for}`);
  return lines.map((text) => ({ node: node.node.name, text }));
}

/** Cause and fix of a stalled node, and why a node is restored. What it waits for is reported separately. */
function sentencesOf(node: NodeStatus | undefined): readonly Line[] {
  return node === undefined ? [] : describeNode({ ...node, waiting: undefined }).sentences;
}

/** Lines that were not there before. */
function news(before: readonly Line[] = [], after: readonly Line[]): string[] {
  const known = new Set(before.map(({ text }) => text));
  return after.filter(({ text }) => !known.has(text)).map(({ text }) => text);
}

/** A countdown is not a change: waits are compared without their figures. */
function hasNews(before: Waiting | undefined, after: Waiting): boolean {
  return before?.for.replaceAll(/\d+/g, '') !== after.for.replaceAll(/\d+/g, '');
}

/** When the latest spell of losses began, epoch ms. Further losses of the same spell are not a change. */
function lastSpell({ traffic }: RunStatus): number {
  return Math.max(0, ...(traffic.losses ?? []).flatMap(({ spells }) => spells.map(({ from }) => from)));
}
