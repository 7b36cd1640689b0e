/** What a picture shows of two upgrades of the demo, side by side: kept as docs/measurements/orders.json. */
import type { EvidenceKind } from '../core/steps/steps.ts';
import type { DemoReport } from './report.ts';

/** A part of the time of a node, in seconds since the start of the upgrade. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** One old node of an upgrade. */
export interface MeasuredNode {
  readonly name: string;
  /** From its exclusion until its connections had ended; absent where nobody took it out of its load balancers first. */
  readonly leavesLoadBalancers?: Span;
  /** While its pods left. */
  readonly podsLeave: Span;
  readonly terminatedAt: number;
}

/** One upgrade. */
export interface MeasuredUpgrade {
  readonly seconds: number;
  readonly sent: number;
  /** Requests that were lost or reset. */
  readonly bad: number;
  /** The same in each second, as far as there are any. */
  readonly lossesPerSecond: readonly number[];
  readonly nodes: readonly MeasuredNode[];
}

/** Both upgrades, and when they were measured. */
export interface MeasuredOrders {
  readonly date: string;
  readonly nodeferry: MeasuredUpgrade;
  readonly usual: MeasuredUpgrade;
}

/** Keeps of two reports of the demo what the picture shows. @throws Error when a report is not of its order, or lacks an observation */
export function measureOrders(nodeferry: DemoReport, usual: DemoReport): MeasuredOrders {
  if (nodeferry.order !== 'nodeferry' || usual.order !== 'naive') throw new Error('give the report of nodeferry first');
  return {
    date: new Date(nodeferry.startedAt).toISOString().slice(0, 10),
    nodeferry: { ...countsOf(nodeferry), nodes: byEvidence(nodeferry) },
    usual: { ...countsOf(usual), nodes: byActs(usual) },
  };
}

function countsOf({ durationSeconds, requests, lossesPerSecond }: DemoReport) {
  const bad = requests.lost + requests.cut;
  return {
    seconds: round(durationSeconds),
    sent: requests.sent,
    bad,
    lossesPerSecond: bad === 0 ? [] : lossesPerSecond,
  };
}

function byEvidence({ nodes, startedAt }: DemoReport): readonly MeasuredNode[] {
  return nodes.map(({ node, evidence }) => {
    const at = (kind: EvidenceKind) => {
      const found = evidence.findLast((one) => one.kind === kind);
      if (found === undefined) throw new Error(`${node.name} has no ${kind}`);
      return round((found.at - startedAt) / 1000);
    };
    const drained = at('connections-drained');
    return {
      name: shorten(node.name),
      leavesLoadBalancers: { from: at('excluded'), to: drained },
      podsLeave: { from: drained, to: at('evicted') },
      terminatedAt: at('terminated'),
    };
  });
}

function byActs({ acts, startedAt }: DemoReport): readonly MeasuredNode[] {
  return [...new Set(acts.map(({ node }) => node))].map((name) => {
    const spanOf = (wanted: 'drain' | 'terminate') => {
      const found = acts.find(({ node, act }) => node === name && act === wanted);
      if (found === undefined) throw new Error(`${name} has no ${wanted}`);
      return { from: round((found.from - startedAt) / 1000), to: round((found.to - startedAt) / 1000) };
    };
    return { name: shorten(name), podsLeave: spanOf('drain'), terminatedAt: spanOf('terminate').to };
  });
}

function shorten(name: string): string {
  return name.split('.')[0] ?? name;
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
