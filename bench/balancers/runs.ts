/** Replaces a pool behind load balancers of several kinds, once in each order, in the same lab and under the same traffic. */
import type { RunStatus } from '../../core/status/status.ts';
import {
  followLabUpgrade,
  inBatches,
  type LabUpgradeOptions,
  labUpgradePolicy,
  startLabUpgrade,
} from '../../demo/lab-upgrade.ts';
import { addRequests } from '../../demo/report.ts';
import { type AnySession, openGkeSession, openSession } from '../../demo/session.ts';
import { whenAborted } from '../../lab/interrupted.ts';
import {
  eksBalancersScenario,
  gkeBalancersScenario,
  gkeGroupsScenario,
  gkePodsScenario,
} from '../../lab/scenarios/balancers.ts';
import type { TrafficVolume } from '../../lab/traffic/config.ts';
import { eksHands, type PoolChange } from '../eks-hands.ts';
import { gkeHands } from '../gke-hands.ts';
import { type PoolHands, upgradeInOrder } from '../other-orders.ts';
import { protectingRules } from './kinds.ts';
import { refuseOnAws, refuseOnGoogle, startLateControllers } from './late-controllers.ts';
import { type BalancersOrder, type BalancersRun, type BalancersScenario, countByService } from './measured.ts';

/** For each Service: light enough for a dozen of them on two cores. */
const volume: TrafficVolume = { connect: 20, keepalive: 10, keepaliveClients: 5, long: 1, stream: 0.3 };

/** Requests time out after 5 s: only then are the results of the last ones known, ms. */
const afterglowMs = 8_000;

/** Far above what any order takes on a busy machine, ms. */
const maxRunMs = 9 * 60_000;

const version = '1.36';

/** A lab with such a pool, under traffic. */
export interface BalancersLab {
  /** Replaces the pool in that order; the next call replaces what it was replaced by. */
  replacePool(order: BalancersOrder): Promise<BalancersRun>;
  close(): Promise<void>;
}

interface Opening {
  readonly signal?: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** Opens the lab of a scenario, and resolves once traffic has flowed without a loss for a few seconds. */
export async function openBalancersLab(scenario: BalancersScenario, opening: Opening): Promise<BalancersLab> {
  const open = await openScenario(scenario, opening);
  const { session, hands } = open;
  let pool = 'web';
  return {
    replacePool: async (order) => {
      const change = { pool, newPool: `web-${order}`, version };
      await Promise.all(session.traffic.map((traffic) => traffic.waitUntilClean(5)));
      for (const traffic of session.traffic) traffic.zero();
      opening.onProgress(`${scenario}, ${order}: ${pool} → ${change.newPool}`);
      const done =
        order === 'usual'
          ? await replaceUsually(session, hands(change), change, opening)
          : await replaceWithNodeferry(open, order, change, opening);
      await new Promise((resolve) => setTimeout(resolve, afterglowMs));
      pool = change.newPool;
      const { perStream } = addRequests(session.traffic.map((traffic) => traffic.truth()));
      return { order, ...done, services: pickBalanced(countByService(perStream), session) };
    },
    close: async () => await session.close(),
  };
}

const gkeScenarios = {
  'gke-balancers': gkeBalancersScenario,
  'gke-groups': gkeGroupsScenario,
  'gke-pods': gkePodsScenario,
} as const;

/** The lab of a scenario, and what somebody does to it by hand. */
interface OpenScenario {
  readonly scenario: BalancersScenario;
  readonly session: AnySession;
  readonly hands: (change: PoolChange) => PoolHands;
  /** Has the cloud refuse to take anything out of its load balancer. The answer ends that. */
  readonly refuse: () => () => void;
}

async function openScenario(scenario: BalancersScenario, { signal, onProgress }: Opening): Promise<OpenScenario> {
  const options = { volume, onProgress, ...(signal === undefined ? {} : { signal }) };
  if (scenario === 'eks-balancers') {
    const session = await openSession(eksBalancersScenario, options);
    const { lab } = session;
    return { scenario, session, hands: (change) => eksHands(lab, change), refuse: () => refuseOnAws(lab.aws) };
  }
  const session = await openGkeSession(gkeScenarios[scenario], options);
  const { lab } = session;
  return { scenario, session, hands: (change) => gkeHands(lab, change), refuse: () => refuseOnGoogle(lab.gcp) };
}

/** Controllers that were refused try again late: the run waits for them. */
const patient = { deadlines: { deregistration: '10m', eviction: '15m' } };

/** Far above what a control loses: the run must not pause. */
const traffic = { lossBudget: 1_000_000 };

/** How the policy differs in an order of nodeferry. Both with late controllers are alike but for the rule. */
function differenceOf(order: NodeferryOrder, scenario: BalancersScenario): Pick<LabUpgradeOptions, 'without' | 'spec'> {
  if (order === 'pod-surge') return {};
  if (order === 'batches') return { spec: inBatches };
  const spec = { waits: patient };
  return order === 'late-controllers' ? { spec } : { spec: { ...spec, traffic }, without: protectingRules(scenario) };
}

type Done = Pick<BalancersRun, 'seconds' | 'unprotected' | 'disabledRules'>;

type NodeferryOrder = Exclude<BalancersOrder, 'usual'>;

async function replaceWithNodeferry(
  { session, refuse, scenario }: OpenScenario,
  order: NodeferryOrder,
  change: PoolChange,
  { signal }: Opening,
): Promise<Done> {
  const policy = labUpgradePolicy(session.lab, { ...change, ...differenceOf(order, scenario) });
  const isLate = order === 'late-controllers' || order === 'without-rule';
  const late = isLate ? startLateControllers(refuse) : undefined;
  const begun = Date.now();
  try {
    await startLabUpgrade(session, policy);
    const onStatus = (status: RunStatus) => {
      late?.onStatus(status);
      requireMoving(status, Date.now() - begun);
    };
    const report = await followLabUpgrade(session, policy, onStatus, signal);
    if (report.outcome !== 'completed') throw new Error(`the run is ${report.outcome}: ${JSON.stringify(report)}`);
    const { durationMs, unprotected, disabledRules } = report;
    const off = disabledRules.length === 0 ? {} : { disabledRules };
    return { seconds: Math.round(durationMs / 1000), unprotected, ...off };
  } finally {
    late?.end();
  }
}

/** Nobody helps a run that stalls or does not end here: what it waits for is the result. */
function requireMoving({ stalled, waiting, nodes }: RunStatus, elapsedMs: number): void {
  if (stalled !== undefined) throw new Error(`the run is stalled: ${stalled.message}`);
  if (elapsedMs < maxRunMs) return;
  const waits = [waiting, ...nodes.map((node) => node.waiting)].flatMap((wait) => wait?.for ?? []);
  throw new Error(`the run has not ended: ${waits.join('; ')}`);
}

async function replaceUsually(
  { lab }: AnySession,
  hands: PoolHands,
  { pool, newPool }: PoolChange,
  { signal, onProgress }: Opening,
): Promise<Done> {
  const { kubeconfigPath, cloud } = lab;
  const upgrade = upgradeInOrder({
    order: 'naive',
    kubeconfigPath,
    poolLabel: cloud.poolLabel,
    hands,
    pool,
    newPool,
    onProgress,
  });
  const ms = await (signal === undefined ? upgrade : Promise.race([upgrade, whenAborted(signal)]));
  return { seconds: Math.round(ms / 1000), unprotected: [] };
}

function pickBalanced(services: BalancersRun['services'], { lab }: AnySession): BalancersRun['services'] {
  const balanced = new Set(lab.services.map(({ name }) => name));
  return Object.fromEntries(Object.entries(services).filter(([name]) => balanced.has(name)));
}
