import { because } from '../../core/status/because.ts';
import { describeTraffic } from '../../core/status/describe-traffic.ts';
import { allExternalChanges } from '../../core/status/external-changes.ts';
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
const surged: Column = { kind: 'pods-surged', title: 'PODS-SURGED' };

const always: readonly Column[] = [
  { kind: 'registered', title: 'REGISTERED' },
  { kind: 'healthy', title: 'HEALTHY' },
  { kind: 'excluded', title: 'EXCLUDED' },
  { kind: 'deregistered', title: 'DEREGISTERED' },
  { kind: 'connections-drained', title: 'CONN-DRAINED' },
  { kind: 'evicted', title: 'EVICTED' },
  { kind: 'replacements-serving', title: 'REPLACED' },
  { kind: 'endpoints-removed', title: 'ENDPOINTS' },
  { kind: 'terminated', title: 'TERMINATED' },
];

/** Draws the proof of a run: requests, and per node when each step was observed (seconds after the start). */
export function renderReport(report: RunReport, style: Style): string[] {
  const tone = report.outcome === 'completed' ? 'good' : report.outcome === 'aborted' ? 'warn' : 'bad';
  const lines = [
    `${style.paint('strong', `${report.cluster}/${report.pool}`)} ${report.fromVersion} → ${report.toVersion}: ${style.paint(tone, outcomeOf(report))} in ${formatDuration(report.durationMs)}`,
    ...problem(report, style),
    `probes: ${describeTraffic(report)}`,
    ...explainLosses(report.traffic).map((line) => `  ${line}`),
    ...(report.instanceMinutes === undefined ? [] : [`instance-minutes beyond the pool: ${report.instanceMinutes}`]),
    '',
    ...renderTimeline(report, style.width),
    '',
    ...list('not protected', report.unprotected, style),
    ...list('left behind', report.leftovers, style),
    ...allExternalChanges(report).map(({ at, what }) => `${new Date(at).toISOString()} noticed: ${what}`),
    ...report.actions.map((action) => `${new Date(action.at).toISOString()} ${action.action} by ${because(action)}`),
  ];
  return fitWidth(lines, style);
}

function outcomeOf({ outcome, probes, traffic }: RunReport): string {
  return outcome === 'completed' && (probes === 0 || traffic.sent === 0) ? 'completed, nothing measured,' : outcome;
}

function problem({ stalled }: RunReport, style: Style): string[] {
  if (stalled === undefined) return [];
  const { code, message, hint } = stalled;
  return [style.paint('bad', `${code}: ${message}`), ...(hint === undefined ? [] : [`fix: ${hint}`])];
}

/** Draws when each step of each node was observed, in seconds after the start of the run. */
export function renderTimeline(report: Pick<RunReport, 'nodes' | 'startedAt'>, width?: number): string[] {
  const isSurged = report.nodes.some(({ evidence }) => evidence.some(({ kind }) => kind === surged.kind));
  const columns = isSurged ? [surged, ...always] : always;
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
