/** The proof of an upgrade: what was sent, what was lost, and how the time compares with the least possible. */
import { renderTimeline } from '../../client/view/report.ts';
import { renderTable } from '../../client/view/table.ts';
import type { LowerBound } from '../../core/plan/lower-bound.ts';
import type { NodeStatus, RunReport } from '../../core/status/status.ts';
import type { TrafficTruth } from '../traffic/truth.ts';

/** Counts of requests; slow means that connecting took more than 0.9 s, so that a SYN was dropped. */
export interface RequestCounts {
  readonly sent: number;
  readonly lost: number;
  readonly cut: number;
  readonly slow: number;
}

/** The proof, as `--report` writes it. */
export interface Proof {
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
  readonly historyEventsPerNode: number | undefined;
  readonly versions: { readonly from: string; readonly to: string };
  readonly disabledRules: readonly string[];
}

/** Adds up what several probers counted (outside, and in a pod). */
export function addRequests(truths: readonly TrafficTruth[]): Pick<Proof, 'requests' | 'newConnections' | 'perStream'> {
  const perStream: Record<string, RequestCounts> = {};
  let newConnections = 0;
  for (const truth of truths) {
    for (const [name, stream] of Object.entries(truth.perStream)) {
      // What never got an answer by the end is damage too.
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

/** Makes the proof of a run of nodeferry. */
export function makeProof(
  report: RunReport,
  truths: readonly TrafficTruth[],
  bound: LowerBound,
  historyEventsPerNode: number,
): Proof {
  return {
    order: 'nodeferry',
    outcome: report.outcome,
    ...addRequests(truths),
    durationSeconds: report.durationMs / 1000,
    lowerBoundSeconds: bound.totalMs / 1000,
    lowerBoundTerms: bound.terms.map((term) => ({ name: term.name, seconds: term.ms / 1000 })),
    nodes: report.nodes,
    historyEventsPerNode,
    versions: { from: report.fromVersion, to: report.toVersion },
    disabledRules: report.disabledRules,
  };
}

/** Draws the proof for a terminal. */
export function renderProof(proof: Proof, startedAt: number): string[] {
  const { requests } = proof;
  const rows = Object.entries(proof.perStream).map(([name, stream]) => [
    name,
    ...[stream.sent, stream.lost, stream.cut, stream.slow].map(String),
  ]);
  const total = ['all', ...[requests.sent, requests.lost, requests.cut, requests.slow].map(String)];
  return [
    ...renderTable([['TRAFFIC', 'SENT', 'LOST', 'RESET', 'SLOW'], ...rows, total]),
    '',
    ...(proof.nodes.length > 0 ? [...renderTimeline({ nodes: proof.nodes, startedAt }), ''] : []),
    ...renderTime(proof),
    `${proof.order === 'naive' ? 'the usual order' : 'nodeferry'}: ${requests.sent} requests sent, ${requests.lost} lost, ${requests.cut} cut, ${requests.slow} slow (${proof.newConnections} new connections)`,
  ];
}

function renderTime(proof: Proof): string[] {
  const duration = `${proof.durationSeconds.toFixed(1)} s`;
  if (proof.lowerBoundSeconds === undefined) return [`makespan ${duration}`];
  const ratio = proof.durationSeconds / proof.lowerBoundSeconds;
  return [
    `makespan ${duration}; perfect knowledge with the same guard: ${proof.lowerBoundSeconds.toFixed(1)} s; ratio ${ratio.toFixed(2)}`,
    ...proof.lowerBoundTerms.map((term) => `  ${term.seconds.toFixed(1).padStart(6)} s  ${term.name}`),
  ];
}
