import { setTimeout as sleep } from 'node:timers/promises';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import type { ProtectiveRule } from '../../core/steps/steps.ts';
import { inBatches, labUpgradePolicy, startLabUpgrade } from '../../demo/lab-upgrade.ts';
import { addRequests, type DemoReport } from '../../demo/report.ts';
import { openSession, type Session } from '../../demo/session.ts';
import type { Lab } from '../../lab/lab.ts';
import { clientAddresses, NAMESPACES } from '../../lab/network-plan.ts';
import type { Scenario } from '../../lab/scenario.ts';
import { controlsScenario } from '../../lab/scenarios/controls.ts';
import { loadBalancerUrls, type TrafficVolume } from '../../lab/traffic/config.ts';
import type { Incident } from '../../lab/traffic/prober.ts';
import { startTraffic, type Traffic } from '../../lab/traffic/traffic.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import { openCluster } from '../../wiring/cluster.ts';
import { followToEnd } from './follow-to-end.ts';
import { finishLeftRun } from './left-run.ts';

/** Short streams keep evictions short: a pod ends its requests before it goes. */
const volume: TrafficVolume = {
  connect: 60,
  keepalive: 20,
  keepaliveClients: 10,
  long: 1,
  stream: 0.5,
  streamDurationMs: 8_000,
};

/** Above the oldest connection of `volume`: a stream of 8 s, a reused connection of 5 s and a request. */
const ordinaryAge = '10s';

/** How long the streams of `longStreams` last, ms, and the age that a policy must know of them. */
const longStreamMs = 40_000;
const longStreamAge = '41s';

/** Requests time out after 5 s: only then is it known what became of the last ones, ms. */
const afterglowMs = 6_000;

/** What became of requests, by stream, with the first of those that were lost, cut or slow. */
export interface Losses extends Pick<DemoReport, 'requests' | 'perStream'> {
  readonly incidents: readonly Incident[];
  /** When the last request that was lost, cut or slow was sent, epoch ms; absent when there was none of which that is known. */
  readonly lastBadAt?: number;
  /** Of how many of them that is not known. */
  readonly incidentsLeftOff: number;
}

/** A session that goes on from pool to pool. */
export interface LabUpgrades {
  readonly session: Session;
  /** The pool that serves now. */
  readonly pool: () => string;
  /** The policy of the next upgrade, from the pool that serves now to a new one. */
  nextPolicy(options?: NextOptions): Policy;
  /** Ends the run that an earlier test may have left, waits until nothing of what went before is lost any more, then counts from zero. */
  beginClean(extra?: readonly Traffic[]): Promise<void>;
  /** Replaces the pool and answers with the report. Rejects as soon as the run needs an operator. */
  upgrade(policy: Policy, onStatus?: (status: RunStatus) => void | Promise<void>): Promise<RunReport>;
  /** What became of requests since `beginClean`, those included that are in flight. */
  losses(extra?: readonly Traffic[]): Promise<Losses>;
  /** Has nodes forget the connections that nobody has answered. One that is answered at that moment gets slow: resolves when that is over. */
  forgetUnanswered(): Promise<void>;
  /** Says that the pool that serves now has another name, because it was replaced by somebody else. */
  movedTo(pool: string): void;
  close(): Promise<void>;
}

/** How the next upgrade differs. */
export interface NextOptions {
  readonly without?: readonly ProtectiveRule[];
  /** Whether `longStreams` flow. */
  readonly longStreams?: boolean;
  /** Requests that may be lost before the run pauses; probes watch only where it is not given. */
  readonly lossBudget?: number;
  readonly waits?: Readonly<Record<string, unknown>>;
  /** The most nodes that may be in progress together; as the demo's policy says unless given. */
  readonly maxInFlight?: number;
  /** All pods are replaced before they leave. */
  readonly podSurge?: boolean;
  /** How many new nodes come up at a time, as `spec.nodeSurge` says it; all at once unless given. */
  readonly nodeSurge?: string | number;
}

/** Opens a session. Progress goes to stderr, for the reader of a run that failed. */
export async function openLabUpgrades(scenario: Scenario = controlsScenario): Promise<LabUpgrades> {
  const session = await openSession(scenario, {
    volume,
    onProgress: (text) => process.stderr.write(`  ${text}\n`),
  });
  const propagation = `${session.lab.cloud.delays.deregistrationPropagationMs}ms`;
  let pool = 'web';
  let upgrades = 0;
  let left: Policy | undefined;
  const ended = (report: RunReport): RunReport => {
    left = undefined;
    if (report.outcome === 'completed') pool = report.newPool;
    return report;
  };
  return {
    session,
    pool: () => pool,
    movedTo: (name) => {
      pool = name;
    },
    nextPolicy: ({
      without = [],
      longStreams = false,
      lossBudget,
      waits = {},
      maxInFlight,
      podSurge = false,
      nodeSurge: surge,
    } = {}) => {
      upgrades += 1;
      const maxConnectionAge = { '*': ordinaryAge, ...(longStreams ? { 'default/edge': longStreamAge } : {}) };
      return labUpgradePolicy(session.lab, {
        pool,
        newPool: `c${upgrades}`,
        version: '1.36',
        without,
        spec: {
          waits: { propagation, maxConnectionAge, pollInterval: '500ms', ...waits },
          ...(lossBudget === undefined ? {} : { traffic: { lossBudget } }),
          ...(maxInFlight === undefined ? {} : { guard: { maxInFlight } }),
          ...(podSurge ? {} : inBatches),
          ...(surge === undefined ? {} : { nodeSurge: surge }),
        },
      });
    },
    beginClean: async (extra = []) => {
      if (left !== undefined) ended(await finishLeftRun(session, left));
      const all = [...session.traffic, ...extra];
      // Connections are not flushed: that would break streams, which would be counted as lost by the upgrade that follows.
      await Promise.all(all.map((traffic) => traffic.waitUntilClean(5)));
      for (const traffic of all) traffic.zero();
    },
    upgrade: async (policy, onStatus = () => undefined) => {
      await startLabUpgrade(session, policy);
      left = policy;
      return ended(
        await followToEnd(session, policy, async (status) => {
          if (status.stalled !== undefined) throw new NodeferryError(status.stalled);
          if (status.paused?.by === 'nodeferry') throw new Error(`the run paused: ${status.paused.reason}`);
          await onStatus(status);
        }),
      );
    },
    forgetUnanswered: async () => {
      await session.lab.forgetUnanswered();
      await sleep(afterglowMs);
    },
    losses: async (extra = []) => {
      await sleep(afterglowMs);
      const truths = [...session.traffic, ...extra].map((traffic) => traffic.truth());
      const lastBadAt = Math.max(...truths.map((truth) => truth.lastBadAt ?? Number.NEGATIVE_INFINITY));
      return {
        ...addRequests(truths),
        incidents: truths.flatMap((truth) => truth.incidents),
        ...(Number.isFinite(lastBadAt) ? { lastBadAt } : {}),
        incidentsLeftOff: truths.reduce((sum, truth) => sum + truth.incidentsLeftOff, 0),
      };
    },
    close: () => session.close(),
  };
}

/** Streams of 40 s to `edge`, which pass through the pool's nodes and older than any other wait of an upgrade. */
export function startLongStreams(lab: Lab): Traffic {
  const edge = lab.services.find((service) => service.name === 'edge');
  if (edge === undefined) throw new Error('the scenario has no Service edge');
  const addresses = edge.vips.map((vip) => vip.address);
  const urls = loadBalancerUrls(addresses, edge.port).map((url) => new URL('/stream', url).href);
  return startTraffic({
    prober: toolPaths().prober,
    namespace: NAMESPACES.client,
    config: {
      streams: [
        {
          name: 'edge/long-stream',
          kind: 'stream',
          urls,
          ratePerSecond: 2,
          durationMs: longStreamMs,
          sourceAddresses: clientAddresses(),
        },
      ],
    },
  });
}

/** Requests that were lost, cut or slow in streams whose names match. */
export function badIn({ perStream }: Losses, streams: RegExp): number {
  return Object.entries(perStream)
    .filter(([name]) => streams.test(name))
    .reduce((sum, [, counts]) => sum + counts.lost + counts.cut + counts.slow, 0);
}

/** The streams that were hurt, in words and each with an example, for the reader of a test's output. */
export function describeLosses({ requests, perStream, incidents }: Losses): string {
  const hurt = Object.entries(perStream)
    .filter(([, { lost, cut, slow }]) => lost + cut + slow > 0)
    .map(([name, { lost, cut, slow }]) => {
      const example = incidents.find((incident) => incident.stream === name);
      const at = example === undefined ? '' : new Date(example.atMs).toISOString().slice(11, 23);
      return `${name} ${lost} lost ${cut} cut ${slow} slow (${at} ${example?.error ?? 'slow'})`;
    });
  return `${requests.sent} sent; ${hurt.join(', ') || 'none lost, cut or slow'}`;
}

/** What a cluster still carries of a run, in words. */
export async function ownershipOf(lab: Pick<Lab, 'kubeconfigPath'>, run: string): Promise<readonly string[]> {
  const cluster = openCluster({ kubeconfig: lab.kubeconfigPath });
  try {
    return await cluster.findLeftovers(run);
  } finally {
    cluster.close();
  }
}
