import stringWidth from 'string-width';
import { describeRun } from '../../core/status/describe-run.ts';
import type { Line, Tone } from '../../core/status/line.ts';
import { stateOfStep } from '../../core/steps/steps.ts';
import { formatDuration } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { renderNodes } from './node-rows.ts';
import { explainEnd, isCutOff, nextSteps, type SeenRun, stateOf } from './seen-run.ts';
import { waysToContinue } from './ways-to-continue.ts';
import { fitWidth } from './wrap.ts';

/** Number of external changes that the tree shows. The report has all of them. */
const maxChanges = 3;

/**
 * Draws a run as a tree: the pool, a row for each node or group of nodes that are alike, then what an operator has to act on. Pure: status in,
 * lines out.
 */
export function renderTree(status: SeenRun, now: number, style: Style): string[] {
  const { alerts, unprotected, rollback, window, waiting, nodes, traffic, externalChanges } = describeRun(status, now);
  const isOver = isOverFor(status);
  const print = ({ tone, text }: Line) => (tone === undefined ? text : style.paint(tone, text));
  const [counts, ...losses] = traffic;
  const lines = [
    headline(status, now, style),
    ...unprotected.map(print),
    ...rollback.map((line) => `${style.branch.pipe}${print(line)}`),
    ...window.map((line) => `${style.branch.pipe}${print(line)}`),
    ...(isOver ? [] : waiting.map((line) => `${style.branch.pipe}${print(line)}`)),
    ...renderNodes(nodes, now, style),
    ...(counts === undefined ? [] : [`probes: ${paintCounts(counts, style)}`]),
    ...losses.map(({ text }) => `  ${text}`),
    ...externalChanges.slice(-maxChanges).map(print),
    ...alertsBelow(status, isOver ? withoutPause(status, alerts) : alerts).map(print),
    ...(isOver ? [] : waysToContinue(status)),
    ...(isCutOff(status) ? explainEnd(status) : nextSteps(status)),
  ];
  return fitWidth(lines, style);
}

/** A pause ends with its run. */
function withoutPause({ paused }: SeenRun, alerts: readonly Line[]): readonly Line[] {
  return paused === undefined ? alerts : alerts.slice(1);
}

/** Alerts for below the nodes: what a node's own lines say already is not repeated. */
function alertsBelow({ stalled, nodes }: SeenRun, alerts: readonly Line[]): readonly Line[] {
  const node = nodes.find(({ problem }) => problem !== undefined && problem.message === stalled?.message);
  if (stalled === undefined || node === undefined) return alerts;
  const others = alerts.filter(({ text }) => !text.includes(stalled.message) && text !== `fix: ${stalled.hint}`);
  return [...others, { tone: 'bad', text: `stalled: ${stalled.code} of ${node.node.name}` }];
}

function isOverFor({ finishedAt, workflow }: SeenRun): boolean {
  return finishedAt !== undefined || (workflow !== undefined && workflow.state !== 'running');
}

function headline(status: SeenRun, now: number, style: Style): string {
  const replaced = status.nodes.filter(({ step }) => stateOfStep(step) === 'replaced').length;
  const skipped = status.nodes.filter(({ step }) => stateOfStep(step) === 'skipped').length;
  const elapsed = formatDuration((status.finishedAt ?? status.workflow?.closedAt ?? now) - status.startedAt);
  const { fromVersion, toVersion, newPool, drain } = status;
  const versions = `${fromVersion === '' ? '' : `${fromVersion} `}→ ${toVersion === '' ? newPool : toVersion}`;
  const parts = [
    style.paint('strong', `${status.cluster}/${status.pool}`),
    drain === undefined ? versions : 'drain',
    style.paint(toneOfRun(status), stateOf(status)),
    `${replaced}/${status.nodes.length} nodes${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    `elapsed ${elapsed}`,
  ];
  return joinParts(parts, style.width);
}

/** Parts of a line, further apart where there is room. */
function joinParts(parts: readonly string[], width = Number.POSITIVE_INFINITY): string {
  const wide = parts.join('   ');
  return stringWidth(wide) <= width ? wide : parts.join('  ');
}

function toneOfRun(status: SeenRun): Tone {
  if (status.stalled || status.phase === 'failed' || isCutOff(status)) return 'bad';
  if (status.paused || ['aborted', 'rolled-back', 'rolling-back'].includes(status.phase)) return 'warn';
  return status.phase === 'completed' ? 'good' : 'busy';
}

function paintCounts({ tone, text }: Line, style: Style): string {
  if (tone === undefined) return text;
  return text.replace(/\d+ lost|^not measured/, (part) => style.paint(tone, part));
}
