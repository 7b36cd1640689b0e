import { because } from '../../core/status/because.ts';
import { explainTraffic } from '../../core/status/explain-traffic.ts';
import { allForeignActs } from '../../core/status/foreign-acts.ts';
import { explainLosses } from '../../core/status/losses.ts';
import type { Evidence, EvidenceKind, NodeStatus, RunReport } from '../../core/status/status.ts';
import { formatDuration } from '../output/duration.ts';
import type { Style } from '../output/style.ts';
import { renderTable } from './table.ts';
import { fitWidth } from './wrap.ts';

interface Column {
  readonly kind: EvidenceKind;
  readonly title: string;
}

/** Only in runs that have handed pods over. */
const handedOver: Column = { kind: 'handed-over', title: 'HANDED OVER' };

const always: readonly Column[] = [
  { kind: 'registered', title: 'REGISTERED' },
  { kind: 'healthy', title: 'HEALTHY' },
  { kind: 'excluded', title: 'EXCLUDED' },
  { kind: 'observed-out', title: 'OUT' },
  { kind: 'drained', title: 'DRAINED' },
  { kind: 'evicted', title: 'EVICTED' },
  { kind: 'serving-elsewhere', title: 'ELSEWHERE' },
  { kind: 'endpoints-retired', title: 'RETIRED' },
  { kind: 'terminated', title: 'TERMINATED' },
];

/** Draws the proof of a run: requests, and per node when each step was observed (seconds after the start). */
export function renderReport(report: RunReport, style: Style): string[] {
  const tone = report.outcome === 'completed' ? 'good' : report.outcome === 'aborted' ? 'warn' : 'bad';
  const lines = [
    `${style.paint('strong', `${report.cluster}/${report.pool}`)} ${report.fromVersion} → ${report.toVersion}: ${style.paint(tone, outcomeOf(report))} in ${formatDuration(report.makespanMs)}`,
    ...problem(report, style),
    `probes: ${explainTraffic(report)}`,
    ...explainLosses(report.traffic).map((line) => `  ${line}`),
    ...(report.instanceMinutes === undefined ? [] : [`instance-minutes beyond the pool: ${report.instanceMinutes}`]),
    '',
    ...renderTimeline(report, style.width),
    '',
    ...list('not protected', report.notProtected, style),
    ...list('left behind', report.leftBehind, style),
    ...allForeignActs(report).map(({ at, what }) => `${new Date(at).toISOString()} noticed: ${what}`),
    ...report.actions.map((action) => `${new Date(action.at).toISOString()} ${action.action} by ${because(action)}`),
  ];
  return fitWidth(lines, style);
}

function outcomeOf({ outcome, probes, traffic }: RunReport): string {
  return outcome === 'completed' && (probes === 0 || traffic.sent === 0) ? 'completed, nothing measured,' : outcome;
}

function problem({ needsAttention }: RunReport, style: Style): string[] {
  if (needsAttention === undefined) return [];
  const { code, message, hint } = needsAttention;
  return [style.paint('bad', `${code}: ${message}`), ...(hint === undefined ? [] : [`fix: ${hint}`])];
}

/** Draws when each step of each node was observed, in seconds after the start of the run. */
export function renderTimeline(report: Pick<RunReport, 'nodes' | 'startedAt'>, width?: number): string[] {
  const isHandedOver = report.nodes.some(({ evidence }) => evidence.some(({ kind }) => kind === handedOver.kind));
  const columns = isHandedOver ? [handedOver, ...always] : always;
  const rows = report.nodes.map((node) => [
    node.node.name,
    ...columns.map((column) => moment(node, column.kind, report.startedAt)),
  ]);
  return renderTable([['NODE', ...columns.map((column) => column.title)], ...rows], width);
}

function moment(node: NodeStatus, kind: EvidenceKind, startedAt: number): string {
  const found: Evidence | undefined = node.evidence.findLast((evidence) => evidence.kind === kind);
  return found ? `+${((found.at - startedAt) / 1000).toFixed(1)}s` : '-';
}

function list(title: string, items: readonly string[], style: Style): string[] {
  return items.map((item) => style.paint('warn', `${title}: ${item}`));
}
