/** Clusters of random shapes that move by themselves while their nodes are replaced. */
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import {
  breakApi,
  excludedNodes,
  flap,
  freeze,
  removeLabel,
  rollOut,
  scaleTo,
  serviceNamed,
  setBudget,
} from '../simulator/disturbances.ts';
import { registerInSpiteOfLabel } from '../simulator/load-balancer.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { createWorld, later, note, type World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { answerCalls, type StartedRun, seedsToPlay, waysOf } from '../support/random-runs.ts';
import { expectNothingLeft, failureOfRun } from '../support/run-checks.ts';

type Random = () => number;

const zoneLabel = 'topology.kubernetes.io/zone';

const below = (random: Random, bound: number) => Math.floor(random() * bound);
const oneOf = <T>(random: Random, list: readonly T[]): T | undefined => list[below(random, list.length)];

/** What may happen, and whether a cluster that nobody upgrades loses requests by it, or one whose nodes are leaving. */
interface Disturbance {
  readonly costs: boolean;
  readonly strike: (world: World, random: Random) => void;
}

const disturbances: Readonly<Record<string, Disturbance>> = {
  'readiness flaps': { costs: true, strike: (world, random) => flap(world, 'web', 2_000 + random() * 20_000) },
  'web rolls out': { costs: true, strike: (world) => rollOut(world, 'web') },
  'api rolls out': { costs: false, strike: (world) => rollOut(world, 'api') },
  'web is scaled up': {
    costs: false,
    strike: (world, random) => scaleTo(world, 'web', replicasOf(world, 'web') + 1 + below(random, 4)),
  },
  'web is scaled down': {
    costs: true,
    strike: (world, random) => scaleTo(world, 'web', Math.max(2, replicasOf(world, 'web') - 1 - below(random, 3))),
  },
  'a budget grows strict': { costs: false, strike: (world) => setBudget(world, 'web', 1) },
  'somebody removes a label': {
    costs: false,
    strike: (world, random) => {
      const node = oneOf(random, excludedNodes(world));
      if (node !== undefined) removeLabel(world, node);
    },
  },
  'a controller registers an excluded node': {
    costs: false,
    strike: (world, random) => {
      const node = oneOf(random, excludedNodes(world));
      const name = random() < 0.5 ? 'web' : 'api';
      if (node !== undefined) registerInSpiteOfLabel(world, serviceNamed(world, name), node.instanceId);
      world.changed();
    },
  },
  'the API server is away': { costs: true, strike: (world) => breakApi(world, 15_000) },
  // Pods whose preStop is long enough are evicted while their endpoints are listed: so trusting is the run where nothing lags.
  'slices stand still': { costs: true, strike: (world, random) => freeze(world, 'slicesFrozen', random() * 90_000) },
  'controllers stand still': {
    costs: false,
    strike: (world, random) => freeze(world, 'controllersFrozen', random() * 120_000),
  },
  'ReplicaSets stand still': {
    costs: false,
    strike: (world, random) => freeze(world, 'replicaSetsFrozen', random() * 90_000),
  },
  'somebody cordons a new node': {
    costs: false,
    strike: (world, random) => {
      const node = oneOf(
        random,
        world.nodes.filter(({ pool }) => pool === 'web-new'),
      );
      if (node === undefined) return;
      node.cordoned = true;
      note(world, `somebody cordons ${node.name}`);
      later(world, 120_000, () => {
        node.cordoned = false;
      });
    },
  },
};

function replicasOf(world: World, name: string): number {
  return world.workloads.find((one) => one.name === name)?.replicas ?? 0;
}

function randomCluster(seed: number, random: Random): World {
  const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'].slice(0, 1 + below(random, 3));
  const nodes = Math.max(3, zones.length + below(random, 5));
  const world = createScenario({
    nodes,
    zones,
    seed,
    preStopSeconds: 20,
    delays: { propagation: 20_000 + random() * 60_000 },
  });
  for (const name of ['web', 'api']) scaleTo(world, name, 2 + below(random, 1.5 * nodes));
  for (const service of world.services) service.crossZone = random() < 0.5;
  chooseScheduler(world, seed);
  for (const budget of world.budgets) budget.maxUnavailable = 1 + below(random, 4);
  if (random() < 0.2) world.budgets = [];
  world.clock.advance(20 * 60_000);
  world.faults.throttled = random() < 0.3 ? random() * 0.2 : 0;
  world.log.length = 0;
  return world;
}

/** Whether the scheduler spreads pods, and whether their owners ask it to; drawn from the seed alone, so that old worlds stay as they were. */
function chooseScheduler(world: World, seed: number): void {
  world.faults.scheduler = (['spreads', 'any', 'spreads', 'crowds'] as const)[(seed >> 2) % 4] ?? 'spreads';
  const isSpread = seed % 3 === 0;
  for (const workload of world.workloads) {
    if (!isSpread || workload.kind !== 'Deployment') continue;
    const countsReleased = seed % 2 === 0;
    workload.spreads = [{ topologyKey: zoneLabel, maxSkew: 1, isRequired: true, countsReleased, countsCordoned: true }];
  }
}

function randomPolicy(random: Random): Policy {
  const { guard, waits } = scenarioPolicy();
  return scenarioPolicy({
    guard: { ...guard, maxInFlight: 1 + below(random, 4), defaultFloor: oneOf(random, [0.3, 0.5, 0.75]) ?? 0.5 },
    traffic: { probes: [], lossBudget: 1_000_000, watchAfterMs: 0 },
    waits: { ...waits, propagationMs: 90_000 },
  });
}

/** Calls for an operator that are answered with a resume; the next ones are with an abort, and at last by giving way. */
const patience = 3;

/** An operator who is called for the so-manieth time. */
async function answer(world: World, run: StartedRun, call: number): Promise<void> {
  if (call > patience + 2) world.budgets = [];
  const update = call === patience + 1 ? abortUpdate : resumeUpdate;
  await run.executeUpdate(update, { args: [{ by: 'ann', reason: 'again' }] }).catch(() => undefined);
}

describe('clusters that move by themselves', () => {
  test.each(seedsToPlay('3001-3004'))(
    'seed %i: the run is refused or completes, keeps the order, loses nothing of its own',
    async (seed) => {
      const dice = createWorld({ seed, reconcile: () => undefined });
      const random = () => dice.random();
      const world = randomCluster(seed, random);
      const machines = world.instances.filter(({ state }) => state === 'running').length;
      const coming = Object.entries(disturbances)
        .filter(() => random() < 0.35)
        .map(([what, { costs, strike }]) => ({ what, costs, strike, atStep: 4 + below(random, 50) }));
      let begun = 0;
      const harness = await openHarness(world, {
        before: async () => {
          begun += 1;
          for (const { what, strike, atStep } of coming) {
            if (atStep !== begun) continue;
            note(world, `>>> ${what}`);
            strike(world, random);
          }
        },
      });
      const story = () =>
        `${coming.map(({ what, atStep }) => `${what} at step ${atStep}`).join(', ')}\n${world.log.join('\n')}`;
      const run = await harness.start({ ...randomPolicy(random), ...waysOf(seed) });
      let over = false;
      let calls = 0;
      const answering = answerCalls(
        world,
        run,
        () => over,
        async () => {
          calls += 1;
          await answer(world, run, calls);
        },
      );
      const ended = await run.result().then(
        (report) => report.outcome,
        async () => (await failureOfRun(run)).type,
      );
      over = true;
      await answering;
      console.log(
        `seed ${seed}: ${ended}, ${calls} calls, lost ${Math.round(world.traffic.lost)} cut ${world.traffic.cut}; ${coming.map(({ what }) => what).join(', ')}`,
      );
      world.faults.throttled = 0;
      expect(['completed', 'aborted', 'PreflightRefused'], story()).toContain(ended);
      world.clock.advance(10 * 60_000);
      expect(world.violations, story()).toEqual([]);
      const costly = coming.some(({ costs }) => costs);
      if (!costly) expect({ lost: world.traffic.lost, cut: world.traffic.cut }, story()).toEqual({ lost: 0, cut: 0 });
      expectNothingLeft(world, machines);
    },
  );
});
