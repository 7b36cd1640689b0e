/** Every disturbance at every step of an upgrade, each beside what it costs alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { metSteps, nothing, upgradeDisturbed } from '../support/disturbed-upgrade.ts';
import {
  type Cost,
  type Disturbances,
  measureAlone,
  openDisturbances,
  outageCost,
} from '../support/lab-disturbances.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';

let upgrades: LabUpgrades;
let disturbances: Disturbances;

beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
  disturbances = openDisturbances(upgrades.session.lab);
});

afterAll(async () => {
  await upgrades?.close();
});

describe('the label removed by somebody', () => {
  test.each(metSteps)('while a node is %s costs nothing', async (step) => {
    await upgradeDisturbed(upgrades, { steps: [step], strike: disturbances.removeLabel, alone: nothing });
  });
});

describe('a controller that registers an excluded node again', () => {
  test.each(metSteps)('while it is %s costs nothing', async (step) => {
    await upgradeDisturbed(upgrades, { steps: [step], strike: disturbances.registerAgain, alone: nothing });
  });
});

describe('a readiness flap of a whole Service', () => {
  const strike = async () => await disturbances.flap(6_000);
  let alone: Cost;
  beforeAll(async () => {
    alone = await measureAlone(upgrades, strike);
  });
  test.each(metSteps)('while a node is %s costs what it costs alone', async (step) => {
    await upgradeDisturbed(upgrades, { steps: [step], strike, alone });
  });
});

describe('an API server that is dead for 15 s', () => {
  const deadForMs = 15_000;
  // As it is by default. The margin of the other upgrades, half a second, is no match for kube-proxies that reconnect on a busy computer.
  const waits = { margin: '15s' };
  // An upgrade may end with three pods in one zone, and none in batches begins with so few in the other.
  beforeEach(async () => await disturbances.spreadEvenly());
  test.each(metSteps)(
    'while a node is %s costs nothing later than it does alone, and lets nobody go meanwhile',
    async (step) => {
      let diedAt = 0;
      let answersAt = 0;
      const strike = async () => {
        diedAt = Date.now();
        await disturbances.killApiServer(deadForMs);
        answersAt = Date.now();
      };
      const alone = () => outageCost(answersAt - diedAt, disturbances.recovery.lastedMs());
      const follow = disturbances.recovery.observe;
      const report = await upgradeDisturbed(upgrades, { steps: [step], strike, alone, waits, follow });
      const leaving = report.nodes.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'excluded'));
      const settledAt = diedAt + deadForMs + upgrades.nextPolicy().waits.stabilizationAfterOutageMs;
      expect(leaving.filter(({ at }) => at > diedAt + 1_000 && at < settledAt)).toEqual([]);
    },
  );
});

describe('a Deployment whose rollouts wait for load balancers', () => {
  // The rollout that brings this about does not wait yet, and costs something.
  beforeAll(async () => {
    await disturbances.waitInRollouts();
    await waitUntilClean();
  });
  // As above: a scale-down may leave a zone with one pod.
  beforeEach(async () => await disturbances.spreadEvenly());

  test.each(metSteps)('a rollout while a node is %s costs nothing', async (step) => {
    const alone = await measureAlone(upgrades, disturbances.rollOut);
    expect(alone.bad).toBe(0);
    await upgradeDisturbed(upgrades, { steps: [step], strike: disturbances.rollOut, alone });
  });

  test.each(['draining-connections', 'evicting'] as const)(
    'a scale-up while a node is %s, and a scale-down in the next upgrade, cost nothing',
    async (step) => {
      const before = await disturbances.replicas();
      const scaleTo = (replicas: number) => async () => await disturbances.scale(replicas);
      try {
        await upgradeDisturbed(upgrades, { steps: [step], strike: scaleTo(before * 2), alone: nothing });
        const follow = onceHeld(scaleTo(before * 2));
        await upgradeDisturbed(upgrades, { steps: [step], strike: scaleTo(before), alone: scaleDownCost, follow });
      } finally {
        await disturbances.scale(before);
        // A node that loses its last pod of `web` receives connections until its health checks have failed: that must not be blamed on the next upgrade.
        await waitUntilClean();
      }
    },
  );
});

async function waitUntilClean(): Promise<void> {
  await Promise.all(upgrades.session.traffic.map((traffic) => traffic.waitUntilClean(20)));
}

/**
 * Where a scale-down takes all pods of a zone but those on nodes that have just been excluded, the run restores such a node. Until it is healthy again the
 * zone has no target. Its ReplicaSet chooses the pods, and knows nothing of load balancers.
 */
function scaleDownCost({ externalChanges }: RunReport): Cost {
  const isRestored = externalChanges.some(({ what }) => /was restored: .* has 0 serving targets in /.test(what));
  return isRestored ? { bad: 0, lastedMs: 35_000, varies: true } : nothing;
}

/** No node has gone for so long, ms, although one waits: the guard blocks it for good. */
const heldForMs = 45_000;

/**
 * Which pods a scale-down takes is chance. Where it leaves a zone's pods on one old node, which then must not go, the run says so and waits;
 * whoever is told scales up again.
 */
function onceHeld(scaleUp: () => Promise<void>): (status: RunStatus) => Promise<void> {
  let seen = '';
  let since = Date.now();
  let isDone = false;
  return async ({ nodes, waiting }) => {
    const now = nodes.map(({ step }) => step).join();
    if (now !== seen || waiting?.for.includes('must keep') !== true) since = Date.now();
    seen = now;
    if (isDone || Date.now() - since < heldForMs) return;
    isDone = true;
    await scaleUp();
  };
}
