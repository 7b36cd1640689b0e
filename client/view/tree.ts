import { because } from '../../core/status/because.ts';
import type { BlockedSince } from '../../core/status/blocked.ts';
import { describeTraffic } from '../../core/status/describe-traffic.ts';
import { allExternalChanges } from '../../core/status/external-changes.ts';
import { explainLosses, lostByUs } from '../../core/status/losses.ts';
import type { NodeStatus, Waiting } from '../../core/status/status.ts';
import { formatDuration, formatTime } from '../output/duration.ts';
import type { Style, Tone } from '../output/style.ts';
import { explainEnd, isCutOff, nextSteps, type SeenRun, stateOf } from './seen-run.ts';
import { fitWidth } from './wrap.ts';

/** Draws a run as a tree: pool, nodes, step, waiting for what, since, until. Pure: status in, lines out. */
export function renderTree(status: SeenRun, now: number, style: Style): string[] {
  const lines = [headline(status, now, style)];
  if (status.disabledRules.length > 0) {
    lines.push(style.paint('bad', `UNPROTECTED: disabled: ${status.disabledRules.join(', ')}`));
  }
  const waiting = describeWaiting(status.waiting, now);
  if (waiting && !isOver(status)) lines.push(`${style.branch.pipe}${style.paint('dim', waiting)}`);
  status.nodes.forEach((node, index) => {
    lines.push(...renderNode(node, now, style, index === status.nodes.length - 1));
  });
  return fitWidth([...lines, ...footer(status, style)], style);
}

function isOver({ finishedAt, workflow }: SeenRun): boolean {
  return finishedAt !== undefined || (workflow !== undefined && workflow.state !== 'running');
}

function headline(status: SeenRun, now: number, style: Style): string {
  const replaced = status.nodes.filter((node) => node.step === 'replaced').length;
  const elapsed = formatDuration((status.finishedAt ?? status.workflow?.closedAt ?? now) - status.startedAt);
  const { fromVersion, toVersion, newPool } = status;
  return [
    style.paint('strong', `${status.cluster}/${status.pool}`),
    `${fromVersion === '' ? '' : `${fromVersion} `}→ ${toVersion === '' ? newPool : toVersion}`,
    style.paint(toneOfRun(status), stateOf(status)),
    `${replaced}/${status.nodes.length} nodes`,
    `elapsed ${elapsed}`,
  ].join('   ');
}

function toneOfRun(status: SeenRun): Tone {
  if (status.stalled || status.phase === 'failed' || isCutOff(status)) return 'bad';
  if (status.paused || status.phase === 'aborted' || status.phase === 'rolling-back') return 'warn';
  return status.phase === 'completed' ? 'good' : 'busy';
}

function renderNode(node: NodeStatus, now: number, style: Style, last: boolean): string[] {
  const { icon, tone } = iconOf(node, style);
  const branch = last ? style.branch.last : style.branch.middle;
  const indent = last ? style.branch.gap : style.branch.pipe;
  const evidence = node.evidence.at(-1);
  const parts = [
    style.paint(tone, icon),
    node.node.name,
    style.paint('dim', node.node.zone),
    style.paint(tone, words(node.step)),
  ];
  if (node.step === 'replaced' && evidence) parts.push(style.paint('dim', formatTime(evidence.at)));
  const lines = [branch + parts.join(' ')];
  const waiting = describeWaiting(node.waiting, now);
  if (waiting) lines.push(`${indent}  ${style.paint('dim', waiting)}`);
  if (node.restoredBecause !== undefined && isComingBack(node))
    lines.push(`${indent}  ${style.paint('warn', `restored because ${node.restoredBecause}`)}`);
  for (const blocked of node.waiting?.blocked ?? [])
    lines.push(`${indent}  ${style.paint('warn', describeBlocked(blocked, now))}`);
  if (node.problem) {
    lines.push(`${indent}  ${style.paint('bad', `${node.problem.code}: ${node.problem.message}`)}`);
    if (node.problem.hint) lines.push(`${indent}  fix: ${node.problem.hint}`);
  }
  return lines;
}

function isComingBack({ step }: NodeStatus): boolean {
  return step === 'restoring' || step === 'restored';
}

function iconOf(node: NodeStatus, style: Style): { icon: string; tone: Tone } {
  switch (node.step) {
    case 'pending':
      return { icon: style.icons.waiting, tone: 'dim' };
    case 'replaced':
      return { icon: style.icons.done, tone: 'good' };
    case 'stalled':
      return { icon: style.icons.attention, tone: 'bad' };
    case 'restoring':
    case 'restored':
      return { icon: style.icons.back, tone: 'warn' };
    default:
      return { icon: style.icons.busy, tone: 'busy' };
  }
}

function words(step: string): string {
  return step.replaceAll('-', ' ');
}

/** Says what is waited for, since when, until when, and what would unblock it. */
export function describeWaiting(waiting: Waiting | undefined, now: number): string | undefined {
  if (!waiting) return undefined;
  const parts = [`${waiting.for}, for ${formatDuration(now - waiting.since)}`];
  if (waiting.until !== undefined) {
    parts.push(
      waiting.until > now
        ? `gives up in ${formatDuration(waiting.until - now)} (${formatTime(waiting.until)} UTC)`
        : 'deadline passed',
    );
  }
  if (waiting.action) parts.push(`unblocked by: ${waiting.action}`);
  return parts.join('; ');
}

function describeBlocked(blocked: BlockedSince, now: number): string {
  const budget = blocked.budget
    ? `pdb ${blocked.budget} needs ${blocked.needs} healthy, has ${blocked.has}`
    : blocked.reason;
  return `pod ${blocked.pod} blocked for ${formatDuration(now - blocked.since)}: ${budget}`;
}

/** How many foreign acts the tree shows; all of them are in the report. */
const maxChanges = 3;

function footer(status: SeenRun, style: Style): string[] {
  const lines: string[] = [];
  const name = `${status.cluster}/${status.pool}`;
  const tone = toneOfTraffic(status);
  lines.push(`probes: ${describeTraffic(status).replace(/\d+ lost|^not measured/, (part) => style.paint(tone, part))}`);
  for (const line of explainLosses(status.traffic)) lines.push(`  ${line}`);
  for (const { at, what } of allExternalChanges(status).slice(-maxChanges)) {
    lines.push(style.paint('warn', `noticed at ${formatTime(at)}: ${what}`));
  }
  if (status.paused && !isOver(status)) lines.push(style.paint('warn', `paused by ${because(status.paused)}`));
  if (status.stalled) {
    lines.push(style.paint('bad', `${status.stalled.code}: ${status.stalled.message}`));
    if (status.stalled.hint) lines.push(`fix: ${status.stalled.hint}`);
    if (!isOver(status)) lines.push(`then: nodeferry resume ${name}   or: nodeferry abort ${name}`);
  }
  return [...lines, ...(isCutOff(status) ? explainEnd(status) : nextSteps(status))];
}

function toneOfTraffic({ probes, traffic }: SeenRun): Tone {
  if (probes === 0) return 'warn';
  if (traffic.lost === 0) return 'good';
  return lostByUs(traffic) > 0 ? 'bad' : 'warn';
}
