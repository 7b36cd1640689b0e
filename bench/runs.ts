/** Replaces one pool after another in the same lab, each in another order, under the same traffic. */
import { ApplicationFailure } from '@temporalio/common';
import { boundUpgrade } from '../demo/bound.ts';
import {
  countHistoryEvents,
  followLabUpgrade,
  inBatches,
  labUpgradePolicy,
  startLabUpgrade,
} from '../demo/lab-upgrade.ts';
import { addRequests, type RequestCounts } from '../demo/report.ts';
import { openSession, type Session } from '../demo/session.ts';
import { whenAborted } from '../lab/interrupted.ts';
import type { TrafficVolume } from '../lab/traffic/config.ts';
import { eksHands } from './eks-hands.ts';
import { watchMachines } from './machine-watch.ts';
import { type OtherOrder, upgradeInOrder } from './other-orders.ts';
import { benchScenario } from './scenario.ts';

/** Orders in which pools are replaced: nodeferry's own two first. */
export const benchOrders = ['pod-surge', 'serial', 'eks', 'script', 'kops'] as const;
/** One of them. */
export type BenchOrder = (typeof benchOrders)[number];

/** The result of one replacement. */
export interface BenchRun {
  readonly nodes: number;
  readonly order: BenchOrder;
  readonly requests: RequestCounts;
  readonly durationSeconds: number;
  readonly nodesReadySeconds: number | undefined;
  /** The time that a run with perfect knowledge would need in this mode; only for nodeferry's modes. */
  readonly lowerBoundSeconds: number | undefined;
  readonly lowerBoundTerms: readonly { readonly name: string; readonly seconds: number }[];
  readonly instanceMinutes: number;
  /** The same for instance time. */
  readonly leastInstanceMinutes: number | undefined;
  readonly historyEventsPerNode: number | undefined;
}

/** A replacement that nodeferry refused to start, because it could not keep its guarantees. */
export interface Refusal {
  readonly nodes: number;
  readonly order: BenchOrder;
  readonly why: string;
}

/** Light enough for sixteen nodes on two cores; streams end before a pod's grace period does. */
const volume: TrafficVolume = { connect: 60, keepalive: 20, keepaliveClients: 10, long: 1, stream: 0.5 };

/** Requests time out after 5 s: only then are the results of the last ones known, ms. */
const afterglowMs = 8_000;

const version = '1.36';

/** Replaces a pool of this many nodes in one order after the other, and reports each as soon as it is over or refused. */
export async function runOrders(
  nodes: number,
  orders: readonly BenchOrder[],
  options: {
    readonly signal: AbortSignal;
    readonly onProgress: (text: string) => void;
    readonly onRun: (run: BenchRun) => void;
    readonly onRefused: (refusal: Refusal) => void;
  },
): Promise<void> {
  const scenario = benchScenario(nodes);
  const session = await openSession(scenario, { volume, signal: options.signal, onProgress: options.onProgress });
  try {
    let pool = 'web';
    for (const order of orders) {
      options.signal.throwIfAborted();
      const newPool = `web-${order}`;
      await Promise.all(session.traffic.map((traffic) => traffic.waitUntilClean(5)));
      for (const traffic of session.traffic) traffic.zero();
      options.onProgress(`${nodes} nodes, ${order}: ${pool} → ${newPool}`);
      const watch = watchMachines(session.lab, newPool);
      const upgraded = await upgrade(session, nodes, order, { pool, newPool }, options)
        .catch(orRefused)
        .finally(() => watch.stop());
      if (typeof upgraded === 'string') {
        options.onRefused({ nodes, order, why: upgraded });
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, afterglowMs));
      const { requests } = addRequests(session.traffic.map((traffic) => traffic.truth()));
      options.onRun({ nodes, order, requests, ...upgraded, ...watch.seen() });
      pool = newPool;
    }
  } finally {
    await session.close();
  }
}

/** Why a run was refused before anything was changed, e.g. a Service with one endpoint per zone without pod surge. */
function orRefused(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === 'PreflightRefused') return cause.message;
  throw error;
}

type Upgraded = Omit<BenchRun, 'nodes' | 'order' | 'requests' | 'nodesReadySeconds' | 'instanceMinutes'>;

async function upgrade(
  session: Session,
  nodes: number,
  order: BenchOrder,
  pools: { readonly pool: string; readonly newPool: string },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (text: string) => void },
): Promise<Upgraded> {
  if (order === 'pod-surge' || order === 'serial')
    return await upgradeWithNodeferry(session, nodes, order, pools, signal);
  const upgrade = upgradeElsewise(session, order, pools, onProgress);
  const durationMs = await Promise.race([upgrade, whenAborted(signal)]);
  return {
    durationSeconds: durationMs / 1000,
    lowerBoundSeconds: undefined,
    lowerBoundTerms: [],
    leastInstanceMinutes: undefined,
    historyEventsPerNode: undefined,
  };
}

async function upgradeWithNodeferry(
  session: Session,
  nodes: number,
  order: 'pod-surge' | 'serial',
  pools: { readonly pool: string; readonly newPool: string },
  signal: AbortSignal,
): Promise<Upgraded> {
  const guard = { maxInFlight: nodes };
  const spec = order === 'pod-surge' ? { guard } : { ...inBatches, guard };
  const policy = labUpgradePolicy(session.lab, { ...pools, version, spec });
  const bounding = await boundUpgrade(session.lab, policy);
  await startLabUpgrade(session, policy);
  const report = await followLabUpgrade(session, policy, () => undefined, signal);
  if (report.outcome !== 'completed') throw new Error(`the run is ${report.outcome}: ${JSON.stringify(report)}`);
  const bound = await bounding.atEnd(report);
  return {
    durationSeconds: report.durationMs / 1000,
    lowerBoundSeconds: bound.totalMs / 1000,
    lowerBoundTerms: bound.terms.map(({ name, ms }) => ({ name, seconds: ms / 1000 })),
    leastInstanceMinutes: Math.round(bound.instanceMinutes * 10) / 10,
    historyEventsPerNode: await countHistoryEvents(session, report),
  };
}

async function upgradeElsewise(
  { lab }: Session,
  order: OtherOrder,
  { pool, newPool }: { readonly pool: string; readonly newPool: string },
  onProgress: (text: string) => void,
): Promise<number> {
  const { kubeconfigPath, cloud } = lab;
  const hands = eksHands(lab, { pool, newPool, version });
  return await upgradeInOrder({
    order,
    kubeconfigPath,
    poolLabel: cloud.poolLabel,
    hands,
    pool,
    newPool,
    onProgress,
  });
}
