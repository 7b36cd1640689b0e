import { because } from '../../core/status/because.ts';
import { explainLosses } from '../../core/status/losses.ts';
import type { NodeStatus, RunStatus, Waiting } from '../../core/status/status.ts';
import { formatTime } from '../output/duration.ts';

/** Says what changed between two looks, one line per change, for logs and pipelines. Pure. */
export function describeChanges(before: RunStatus | undefined, after: RunStatus): string[] {
  const name = `${after.cluster}/${after.pool}`;
  const lines: string[] = [];
  if (before?.phase !== after.phase) lines.push(`${name} phase ${after.phase}`);
  if (after.waiting && hasNews(before?.waiting, after.waiting)) lines.push(`${name} waiting: ${after.waiting.for}`);
  if (!before?.paused && after.paused) lines.push(`${name} paused by ${because(after.paused)}`);
  if (before?.paused && !after.paused) lines.push(`${name} resumed`);
  if (before?.stalled?.message !== after.stalled?.message && after.stalled) {
    lines.push(
      `${name} ${after.phase === 'failed' ? 'failed' : 'stalled'}: ${after.stalled.code}: ${after.stalled.message}`,
    );
  }
  for (const { what } of after.externalChanges.slice(before?.externalChanges.length ?? 0))
    lines.push(`${name} noticed: ${what}`);
  if (lastSpell(after) > (before === undefined ? 0 : lastSpell(before)))
    for (const line of explainLosses(after.traffic)) lines.push(`${name} probes: ${line}`);
  for (const node of after.nodes) lines.push(...changesOfNode(before, node));
  return lines;
}

function changesOfNode(before: RunStatus | undefined, node: NodeStatus): string[] {
  const old = before?.nodes.find((other) => other.node.uid === node.node.uid);
  const lines: string[] = [];
  if (old && old.step !== node.step) lines.push(`node ${node.node.name} ${node.step}`);
  if (node.restoredBecause !== undefined && old?.restoredBecause !== node.restoredBecause)
    lines.push(`node ${node.node.name} restored because ${node.restoredBecause}`);
  for (const { what } of (node.externalChanges ?? []).slice(old?.externalChanges?.length ?? 0))
    lines.push(`node ${node.node.name} noticed: ${what}`);
  for (const evidence of node.evidence.slice(old?.evidence.length ?? 0)) {
    lines.push(`node ${node.node.name} ${evidence.kind} at ${formatTime(evidence.at)}: ${evidence.detail}`);
  }
  if (node.waiting && hasNews(old?.waiting, node.waiting))
    lines.push(`node ${node.node.name} waiting: ${node.waiting.for}`);
  return lines;
}

/** A countdown is no news: waits are compared without their figures. */
function hasNews(before: Waiting | undefined, after: Waiting): boolean {
  return before?.for.replaceAll(/\d+/g, '') !== after.for.replaceAll(/\d+/g, '');
}

/** When requests began to get lost last, epoch ms: each further loss of a spell is no news of its own. */
function lastSpell({ traffic }: RunStatus): number {
  return Math.max(0, ...(traffic.losses ?? []).flatMap(({ spells }) => spells.map(({ from }) => from)));
}
