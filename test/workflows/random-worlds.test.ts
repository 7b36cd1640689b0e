/** Clusters of random shapes that change by themselves while their nodes are replaced. */
import { describe, expect, test } from 'vitest';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunStatus } from '../../core/status/status.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
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
import { actsOnCluster, createCutOffAttempts } from '../support/cut-off.ts';
import { openHarness } from '../support/open-harness.ts';
import { answerCalls, type StartedRun, seedsToPlay, waysOf } from '../support/random-runs.ts';
import { below, drawTroubles, oneOf, type Random, type Trouble } from '../support/random-troubles.ts';
import { expectNothingLeft, failureOfRun } from '../support/run-checks.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

/** Disturbances, and whether each loses requests by itself: in a cluster without an upgrade, or in one whose nodes are leaving. */
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
  // Pods whose preStop is long enough are evicted while they are endpoints: the run relies on slices that do not lag.
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

function randomCluster(seed: number, random: Random, prepare: (world: World) => void): World {
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
  prepare(world);
  world.faults.throttled = random() < 0.3 ? random() * 0.2 : 0;
  world.log.length = 0;
  return world;
}

/** Whether the scheduler spreads pods, and whether their owners require it; drawn from the seed alone, so that old worlds stay as they were. */
function chooseScheduler(world: World, seed: number): void {
  world.faults.scheduler = (['spreads', 'any', 'spreads', 'crowds'] as const)[(seed >> 2) % 4] ?? 'spreads';
  const isSpread = seed % 3 === 0;
  for (const workload of world.workloads) {
    if (!isSpread || workload.kind !== 'Deployment') continue;
    const countsReleased = seed % 2 === 0;
    workload.spreads = [{ topologyKey: zoneLabel, maxSkew: 1, isRequired: true, countsReleased, countsCordoned: true }];
  }
}

/** Gives a stable cluster its initial problems; losses count from then on. */
function beset(world: World, { troubles, random }: ReturnType<typeof drawTroubles>): void {
  for (const { prepare } of troubles) prepare?.(world, random);
  world.changed();
  world.clock.advance(20 * 60_000);
  world.traffic = { sent: 0, lost: 0, cut: 0 };
}

function randomPolicy(random: Random): Policy {
  const { guard, waits } = scenarioPolicy();
  return scenarioPolicy({
    guard: { ...guard, maxInFlight: 1 + below(random, 4), defaultMinServing: oneOf(random, [0.3, 0.5, 0.75]) ?? 0.5 },
    traffic: { probes: [], lossBudget: 1_000_000, watchAfterMs: 0 },
    waits: { ...waits, propagationMs: 90_000 },
  });
}

/** How often the operator answers a stalled run with a resume; then with an abort, and at last by removing the obstacle. */
const patience = 3;

/** Stalls after which a run counts as stuck for good. */
const stillAfter = 12;

/** What an operator of the cluster can change, by the words of the hint that advises it. */
const waysOut: readonly NonNullable<Trouble['wayOut']>[] = [
  {
    named: /cross-zone load balancing on/,
    take: (world) => {
      for (const service of world.services) service.crossZone = true;
    },
  },
  {
    named: /Make room/,
    take: (world) => {
      for (const workload of world.workloads) workload.spreads = [];
    },
  },
  {
    named: /Scale up/,
    take: (world) => {
      for (const name of ['web', 'api']) scaleTo(world, name, replicasOf(world, name) + world.nodes.length);
    },
  },
];

/** An operator of stalled runs: fixes what the message names, where possible, and keeps the messages. */
function openOperator(world: World, run: StartedRun, troubles: readonly Trouble[]) {
  const calls: string[] = [];
  const helpless: string[] = [];
  return {
    calls,
    /** Messages that name no fix. */
    helpless,
    answer: async ({ stalled, paused }: RunStatus): Promise<void> => {
      const said = `${stalled?.message ?? paused?.reason}. ${stalled?.hint ?? ''}`;
      calls.push(said);
      if (stalled !== undefined && stalled.hint === undefined) helpless.push(said);
      note(world, `>>> call: ${said}`);
      if (calls.length > stillAfter) return void (await run.terminate('it stands still'));
      const known = [...troubles.flatMap(({ wayOut }) => wayOut ?? []), ...waysOut];
      for (const { named, take } of known) if (named.test(said)) take(world);
      world.changed();
      if (calls.length > patience + 2 && said.includes('budget')) world.budgets = [];
      const update = calls.length === patience + 1 ? abortUpdate : resumeUpdate;
      await run.executeUpdate(update, { args: [{ by: 'ann', reason: 'again' }] }).catch(() => undefined);
    },
  };
}

/** From this seed on, some nodes are drained instead of all being replaced. */
const firstDrain = 10_000;
const isDrain = (seed: number) => seed >= firstDrain;
const drainsToPlay = process.env['NODEFERRY_TEST_SEEDS'] === undefined ? [10_001, 10_002] : [];

function drainSome(policy: Policy, world: World, seed: number): Policy {
  const count = 1 + (seed % Math.max(1, Math.floor(world.nodes.length / 2)));
  const nodes = world.nodes.filter(({ pool }) => pool === 'web').slice(0, count);
  return drainPolicy(policy, {
    pool: 'web',
    nodes,
    terminate: seed % 3 === 0,
    deleteEmptyDirData: false,
    force: false,
  });
}

/** Drained nodes are the operator's: nothing on them belongs to the run. */
function expectKept(world: World, instances: number): void {
  expect(ownershipOf(world)).toEqual([]);
  expect([...world.leases.keys()]).toEqual([]);
  const running = world.instances.filter((instance) => instance.state === 'running').length;
  expect(running).toBe(instances - world.terminations.size);
}

interface Coming {
  readonly what: string;
  readonly strike: (world: World, random: Random) => void;
  readonly isDue?: ((world: World) => boolean) | undefined;
  readonly atStep: number;
}

describe('clusters that change by themselves', () => {
  test.each([...seedsToPlay('3001-3004'), ...drainsToPlay])(
    'seed %i: the run is refused or completes, keeps the order, loses nothing of its own',
    async (seed) => {
      const dice = createWorld({ seed, reconcile: () => undefined });
      const random = () => dice.random();
      const drawn = drawTroubles(seed);
      const world = randomCluster(seed, random, (settled) => beset(settled, drawn));
      const instances = world.instances.filter(({ state }) => state === 'running').length;
      const moves = Object.entries(disturbances)
        .filter(() => random() < 0.35)
        .map(([what, { costs, strike }]) => ({ what, costs, strike, atStep: 4 + below(random, 50) }));
      const coming: Coming[] = [
        ...moves,
        ...drawn.troubles.map(({ what, isDue, strike = () => undefined }) => ({
          what,
          isDue,
          strike: (struck: World) => strike(struck, drawn.random),
          atStep: 4 + below(drawn.random, 50),
        })),
      ];
      const open = new Set(coming);
      const attempts = createCutOffAttempts(world);
      const cutOffAt = new Set(
        drawn.troubles.some(({ cutsOff }) => cutsOff) ? [1, 2, 3].map(() => 1 + below(drawn.random, 60)) : [],
      );
      let begun = 0;
      const abortsAt = isDrain(seed) && seed % 2 === 1 ? 8 + (seed % 41) : undefined;
      let abort: (() => Promise<unknown>) | undefined;
      const harness = await openHarness(world, {
        before: async (step, args) => {
          begun += 1;
          for (const one of open) {
            if (one.atStep > begun || one.isDue?.(world) === false) continue;
            open.delete(one);
            note(world, `>>> ${one.what}`);
            one.strike(world, random);
          }
          if (begun === abortsAt) void abort?.();
          if (cutOffAt.has(begun) && actsOnCluster(step)) attempts.cutOff(step, args);
        },
      });
      const story = () =>
        `${coming.map(({ what, atStep }) => `${what} at step ${atStep}`).join(', ')}\n${world.log.join('\n')}`;
      const policy = { ...randomPolicy(random), ...waysOf(seed) };
      const run = await harness.start(isDrain(seed) ? drainSome(policy, world, seed) : policy);
      abort = async () =>
        await run.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'no more' }] }).catch(() => undefined);
      const operator = openOperator(world, run, drawn.troubles);
      let over = false;
      const answering = answerCalls(world, run, () => over, operator.answer);
      const ended = await run.result().then(
        (report) => report.outcome,
        async () => await failureOfRun(run).then(({ type }) => type, String),
      );
      over = true;
      await answering;
      await attempts.end();
      console.log(
        `seed ${seed}: ${ended}, ${operator.calls.length} calls, lost ${Math.round(world.traffic.lost)} cut ${world.traffic.cut}; ${coming.map(({ what }) => what).join(', ')}\n${operator.calls.join('\n')}`,
      );
      world.faults.throttled = 0;
      expect(['completed', 'aborted', 'PreflightRefused'], story()).toContain(ended);
      world.clock.advance(10 * 60_000);
      expect(world.violations, story()).toEqual([]);
      expect(operator.helpless, story()).toEqual([]);
      const costly = moves.some(({ costs }) => costs);
      if (!costly) expect({ lost: world.traffic.lost, cut: world.traffic.cut }, story()).toEqual({ lost: 0, cut: 0 });
      if (isDrain(seed) && ended === 'completed') expectKept(world, instances);
      else expectNothingLeft(world, instances);
    },
  );
});
