/** The report of an upgrade in the lab: what was sent, what was lost, and how the duration compares with the lower bound. */

import type { NodeAct } from '../bench/other-orders.ts';
import { renderTimeline } from '../client/view/report.ts';
import { renderTable } from '../client/view/table.ts';
import type { LowerBound } from '../core/plan/lower-bound.ts';
import type { NodeStatus, RunReport } from '../core/status/status.ts';
import type { TrafficTruth } from '../lab/traffic/truth.ts';

/** Counts of requests; slow means that connecting took more than 0.9 s, so that a SYN was dropped. */
export interface RequestCounts {
  readonly sent: number;
  readonly lost: number;
  readonly cut: number;
  readonly slow: number;
}

/** The report as `--report` writes it. */
export interface DemoReport {
  readonly order: 'nodeferry' | 'naive';
  readonly outcome: string;
  readonly requests: RequestCounts;
  /** New connections among them. */
  readonly newConnections: number;
  readonly perStream: Readonly<Record<string, RequestCounts>>;
  readonly durationSeconds: number;
  readonly lowerBoundSeconds: number | undefined;
  readonly lowerBoundTerms: readonly { readonly name: string; readonly seconds: number }[];
  readonly nodes: readonly NodeStatus[];
  /** What another order has done with nodes. */
  readonly acts: readonly NodeAct[];
  /** When the upgrade began, epoch ms. */
  readonly startedAt: number;
  /** Requests that were lost or reset in each second since then: in the second in which the client knew. */
  readonly lossesPerSecond: readonly number[];
  readonly historyEventsPerNode: number | undefined;
  readonly versions: { readonly from: string; readonly to: string };
  readonly disabledRules: readonly string[];
}

/** Adds up what several probers counted (outside, and in a pod). */
export function addRequests(
  truths: readonly TrafficTruth[],
): Pick<DemoReport, 'requests' | 'newConnections' | 'perStream'> {
  const perStream: Record<string, RequestCounts> = {};
  let newConnections = 0;
  for (const truth of truths) {
    for (const [name, stream] of Object.entries(truth.perStream)) {
      // A request without a response at the end counts as reset too.
      const cut = stream.cut + (truth.final ? stream.inFlight : 0);
      perStream[name] = { sent: stream.sent, lost: stream.lost, cut, slow: stream.slow };
      if (stream.kind !== 'keepalive') newConnections += stream.sent;
    }
  }
  const streams = Object.values(perStream);
  const sum = (key: keyof RequestCounts) => streams.reduce((total, stream) => total + stream[key], 0);
  return {
    requests: { sent: sum('sent'), lost: sum('lost'), cut: sum('cut'), slow: sum('slow') },
    newConnections,
    perStream,
  };
}

/** Creates the report of a run of nodeferry. */
export function makeReport(
  run: RunReport,
  truths: readonly TrafficTruth[],
  bound: LowerBound,
  historyEventsPerNode: number,
  losses: Pick<DemoReport, 'startedAt' | 'lossesPerSecond'>,
): DemoReport {
  return {
    order: 'nodeferry',
    outcome: run.outcome,
    ...addRequests(truths),
    durationSeconds: run.durationMs / 1000,
    lowerBoundSeconds: bound.totalMs / 1000,
    lowerBoundTerms: bound.terms.map((term) => ({ name: term.name, seconds: term.ms / 1000 })),
    nodes: run.nodes,
    acts: [],
    ...losses,
    historyEventsPerNode,
    versions: { from: run.fromVersion, to: run.toVersion },
    disabledRules: run.disabledRules,
  };
}

/** Renders the report for a terminal. */
export function renderReport(report: DemoReport, startedAt: number): string[] {
  const { requests } = report;
  const rows = Object.entries(report.perStream).map(([name, stream]) => [
    name,
    ...[stream.sent, stream.lost, stream.cut, stream.slow].map(String),
  ]);
  const total = ['all', ...[requests.sent, requests.lost, requests.cut, requests.slow].map(String)];
  return [
    ...renderTable([['TRAFFIC', 'SENT', 'LOST', 'RESET', 'SLOW'], ...rows, total]),
    '',
    ...(report.nodes.length > 0 ? [...renderTimeline({ nodes: report.nodes, startedAt }), ''] : []),
    ...renderTime(report),
    `${report.order === 'naive' ? 'the usual order' : 'nodeferry'}: ${requests.sent} requests sent, ${requests.lost} lost, ${requests.cut} reset, ${requests.slow} slow (${report.newConnections} new connections)`,
  ];
}

function renderTime(report: DemoReport): string[] {
  const duration = `${report.durationSeconds.toFixed(1)} s`;
  if (report.lowerBoundSeconds === undefined) return [`duration ${duration}`];
  const ratio = report.durationSeconds / report.lowerBoundSeconds;
  return [
    `duration ${duration}; lower bound with perfect knowledge and the same guard: ${report.lowerBoundSeconds.toFixed(1)} s; ratio ${ratio.toFixed(2)}`,
    ...report.lowerBoundTerms.map((term) => `  ${term.seconds.toFixed(1).padStart(6)} s  ${term.name}`),
  ];
}
