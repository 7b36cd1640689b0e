import type { NodeRow } from '../../core/status/describe-nodes.ts';
import { describeRun } from '../../core/status/describe-run.ts';
import { explainDeadline, explainSince } from '../../core/status/explain-waiting.ts';
import type { Line, Tone } from '../../core/status/line.ts';
import { stateOfStep } from '../../core/steps/steps.ts';
import { count, formatDuration, listNames } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { explainEnd, isCutOff, nextSteps, type SeenRun, stateOf } from './seen-run.ts';
import { renderTable } from './table.ts';
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
    ...(isOver && status.paused !== undefined ? alerts.slice(1) : alerts).map(print),
    ...thenOf(status, isOver),
    ...(isCutOff(status) ? explainEnd(status) : nextSteps(status)),
  ];
  return fitWidth(lines, style);
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
  return [
    style.paint('strong', `${status.cluster}/${status.pool}`),
    drain === undefined ? versions : 'drain',
    style.paint(toneOfRun(status), stateOf(status)),
    `${replaced}/${status.nodes.length} nodes${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    `elapsed ${elapsed}`,
  ].join('   ');
}

function toneOfRun(status: SeenRun): Tone {
  if (status.stalled || status.phase === 'failed' || isCutOff(status)) return 'bad';
  if (status.paused || ['aborted', 'rolled-back', 'rolling-back'].includes(status.phase)) return 'warn';
  return status.phase === 'completed' ? 'good' : 'busy';
}

const head = ['NAME', 'ZONE', 'STEP', 'SINCE', 'DEADLINE', 'REASON'];

/** Nodes in columns, and below each row its details. */
function renderNodes(rows: readonly NodeRow[], now: number, style: Style): string[] {
  if (rows.length === 0) return [];
  const [titles = '', ...table] = renderTable([head, ...rows.map((row) => cellsOf(row, now, style))]);
  const lines = rows.flatMap(({ tone, state, sentences }, index) => {
    const isLast = index === rows.length - 1;
    const branch = isLast ? style.branch.last : style.branch.middle;
    const indent = isLast ? style.branch.gap : style.branch.pipe;
    const beneath = sentences.map((line) => (line.tone === undefined ? line.text : style.paint(line.tone, line.text)));
    return [
      `${branch}${style.paint(tone, style.icons[state])} ${table[index] ?? ''}`,
      ...beneath.map((text) => `${indent}  ${text}`),
    ];
  });
  return [`${style.branch.gap}  ${style.paint('dim', titles)}`, ...lines];
}

function cellsOf(row: NodeRow, now: number, style: Style): readonly string[] {
  const { names, zone = '', step, tone, since, until, reason } = row;
  const name = names.length === 1 ? (names[0] ?? '') : `${count(names.length, 'node')}: ${listNames(names)}`;
  return [
    name,
    zone,
    style.paint(tone, step),
    since === undefined ? '' : explainSince(since, now),
    explainDeadline(until, now),
    reason,
  ];
}

function paintCounts({ tone, text }: Line, style: Style): string {
  if (tone === undefined) return text;
  return text.replace(/\d+ lost|^not measured/, (part) => style.paint(tone, part));
}

/** The ways to continue for a stalled run. */
function thenOf({ cluster, pool, stalled, nodes }: SeenRun, isOver: boolean): readonly string[] {
  if (stalled === undefined || isOver) return [];
  const name = `${cluster}/${pool}`;
  const node = nodes.find(({ problem }) => problem !== undefined)?.node.name;
  const one =
    node === undefined
      ? []
      : [
          `for one node: nodeferry retry ${name} --node ${node}   or: nodeferry skip ${name} --node ${node} --reason <why>`,
        ];
  return [`then: nodeferry resume ${name}   or: nodeferry abort ${name}`, ...one];
}
