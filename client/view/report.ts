import { describeAccepted } from '../../core/plan/acceptance.ts';
import { explainAction } from '../../core/status/because.ts';
import { describeTraffic } from '../../core/status/describe-traffic.ts';
import { listExclusionReasons } from '../../core/status/exclusion-reasons.ts';
import { allExternalChanges } from '../../core/status/external-changes.ts';
import { explainLosses } from '../../core/status/losses.ts';
import type { RunReport } from '../../core/status/status.ts';
import type { EvidenceColumn } from '../../core/steps/derive.ts';
import { stateOfStep } from '../../core/steps/steps.ts';
import { formatDuration } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { evidenceTable } from '../report/evidence-table.ts';
import { noteDomain, sharedDomain, withoutDomain } from './node-names.ts';
import { renderTable } from './table.ts';
import { fitWidth } from './wrap.ts';

/** Draws the report of a run: requests, and for each node when each step was observed (seconds after the start). */
export function renderReport(report: RunReport, style: Style): string[] {
  const tone = report.outcome === 'completed' ? 'good' : report.outcome === 'failed' ? 'bad' : 'warn';
  const lines = [
    `${style.paint('strong', `${report.cluster}/${report.pool}`)} ${explainVersions(report)}: ${style.paint(tone, outcomeOf(report))} in ${formatDuration(report.durationMs)}`,
    ...problem(report, style),
    `probes: ${describeTraffic(report)}`,
    ...explainLosses(report.traffic).map((line) => `  ${line}`),
    ...(report.instanceMinutes === undefined ? [] : [`instance-minutes beyond the pool: ${report.instanceMinutes}`]),
    `nodes: ${describeProgress(report)}`,
    '',
    ...(report.nodes.length === 0 ? [] : [...renderTimeline(report, style.width), '']),
    ...listExclusionReasons(report.nodes).map((one) => `excluded because ${one}`),
    ...list('unprotected', report.unprotected, style),
    ...list('accepted', (report.accepted ?? []).map(describeAccepted), style),
    ...list('leftovers', report.leftovers, style),
    ...allExternalChanges(report).map(({ at, what }) => `external change at ${new Date(at).toISOString()}: ${what}`),
    ...report.actions.map((action) => `${new Date(action.at).toISOString()} ${explainAction(action)}`),
  ];
  return fitWidth(lines, style);
}

function explainVersions({ drain, fromVersion, toVersion }: RunReport): string {
  return drain === undefined ? `${fromVersion} → ${toVersion}` : 'drain';
}

function outcomeOf({ outcome, probes, traffic }: RunReport): string {
  if (outcome === 'rolled-back') return 'rolled back';
  return outcome === 'completed' && (probes === 0 || traffic.sent === 0) ? 'completed, nothing measured,' : outcome;
}

function problem({ stalled }: RunReport, style: Style): string[] {
  if (stalled === undefined) return [];
  const { code, message, hint } = stalled;
  return [style.paint('bad', `${code}: ${message}`), ...(hint === undefined ? [] : [`fix: ${hint}`])];
}

/** How many nodes have come how far: `2 of 7 replaced, 1 restored`. */
function describeProgress({ nodes, drain }: RunReport): string {
  if (nodes.length === 0) return 'none was touched';
  const states = nodes.map(({ step }) => stateOfStep(step));
  const others = [...Map.groupBy(states, (state) => state)].filter(([state]) => state !== 'replaced');
  const done = states.filter((state) => state === 'replaced').length;
  const first = `${done} of ${nodes.length} ${drain === undefined ? 'replaced' : 'drained'}`;
  return [first, ...others.map(([state, same]) => `${same.length} ${state}`)].join(', ');
}

/** Draws when each step of each node was observed, in seconds after the start of the run. */
export function renderTimeline(
  { nodes, startedAt }: Pick<RunReport, 'nodes' | 'startedAt'>,
  width?: number,
  all?: readonly EvidenceColumn[],
): string[] {
  const { titles, rows } = evidenceTable({ nodes, startedAt }, all);
  const tableWithout = (domain: string) => [
    ['NODE', ...titles],
    ...nodes.map(({ node }, index) => [withoutDomain(node.name, domain), ...(rows[index] ?? [])]),
  ];
  const whole = renderTable(tableWithout(''));
  if (width === undefined || whole.every((line) => line.length <= width)) return whole;
  const domain = sharedDomain(nodes.map(({ node }) => node.name));
  return [...renderTable(tableWithout(domain), width), ...noteDomain(domain)];
}

function list(title: string, items: readonly string[], style: Style): string[] {
  return items.map((item) => style.paint('warn', `${title}: ${item}`));
}
