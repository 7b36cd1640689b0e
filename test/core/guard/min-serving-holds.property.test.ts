import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { openGuard } from '../../../core/guard/guard.ts';
import { selectCandidate } from '../../../core/guard/select-candidate.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import { refusal } from '../../../core/plan/refusal.ts';
import { simulateBatches } from '../../../core/plan/simulate-batches.ts';
import { die, happenings, include } from '../support/happenings.ts';
import { judgeRest } from '../support/judge.ts';
import { observeAt } from '../support/observing.ts';
import type { Play, PlayRules } from '../support/played-run.ts';
import { advance, comeToRest, grant, happen, observe, openPlay, playOut } from '../support/run.ts';
import { openWorld, type WorldShape } from '../support/world.ts';
import { excludeAsBefore, forgetPodTargets } from '../support/yesterdays-guard.ts';

/** Runs of the main property; `npm run matrix` asks for more. */
const runs = Number(process.env['NODEFERRY_PROPERTY_RUNS'] ?? 120);

/** A whole number: with another fast-check never ends (4.10, SourceValuesIterator counts down until it is exactly at minus one). */
const third = Math.ceil(runs / 3);

/** A safety net only: some 40 ms a run on a slow computer. */
const timeout = 60_000 + runs * 200;
vi.setConfig({ testTimeout: timeout });

/** Random clusters: zones, nodes, Services of both policies, cross-zone on and off, all nodes or some as targets, pods as targets or not, replicas, budgets shared or alone or none. */
const app = (name: string): fc.Arbitrary<WorldShape['apps'][number]> =>
  fc
    .record({
      app: fc.constant(name),
      scale: fc.integer({ min: 1, max: 9 }),
      policy: fc.constantFrom('Local' as const, 'Cluster' as const),
      crossZone: fc.boolean(),
      grouped: fc.boolean(),
      podTargets: fc.boolean(),
      spared: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    })
    .map(({ spared, ...rest }) => ({
      ...rest,
      // Load balancers that have some nodes as targets send to those of all zones.
      crossZone: rest.crossZone || rest.grouped,
      spared: spared === undefined ? undefined : Math.min(spared, rest.scale),
    }));

const shape: fc.Arbitrary<WorldShape> = fc.record({
  zones: fc.integer({ min: 1, max: 3 }),
  nodesPerZone: fc.integer({ min: 1, max: 3 }),
  apps: fc
    .integer({ min: 1, max: 3 })
    .chain((n) => fc.tuple(...Array.from({ length: n }, (_, index) => app(`app${index}`)))),
  sharedBudget: fc.boolean(),
  secondPool: fc.boolean(),
});

/** What happens, in random order: the event, and a number that selects what it affects. */
type Script = readonly (readonly [string, number])[];
const ours = ['grant', 'grant', 'advance', 'advance'];
const byItself = ['happen', 'happen', 'happen', 'happen'];
const script = (others: readonly string[]): fc.Arbitrary<Script> =>
  fc.array(fc.tuple(fc.constantFrom(...ours, ...byItself, ...others), fc.nat(1000)), { minLength: 20, maxLength: 200 });
const everything = script([...Object.keys(happenings), 'die']);
const withoutDeaths = script(Object.keys(happenings));
const quiet = script([]);

function play(rules: PlayRules, cluster: WorldShape, events: Script): Play {
  return playScript(openPlay(openWorld(cluster), rules), events);
}

function playScript(played: Play, events: Script): Play {
  for (const [what, which] of events) {
    const run = played.runs[which % played.runs.length];
    const progress = run?.inFlight[which % Math.max(1, run.inFlight.length)];
    if (what === 'grant' && run !== undefined) grant(run);
    else if (what === 'advance' && run !== undefined && progress !== undefined) advance(run, progress);
    else if (what === 'die' && played.world.deaths < 2) die(played.world, which);
    else if (what === 'happen') happen(played, which);
    else happenings[what]?.(played.world, which);
  }
  return played;
}

/** Everything that failed works again, and external changes are undone. */
function repair({ world }: Play): void {
  for (const node of world.nodes) {
    node.ready = true;
    if (node.excludedBy === 'somebody') include(node);
  }
}

/** A load balancer drains a node that never had a pod for it just before that node is ended. */
const drainedIdle: [WorldShape, Script] = [
  {
    zones: 1,
    nodesPerZone: 1,
    apps: ['app0', 'app1'].map((name) => ({
      app: name,
      scale: 1,
      policy: 'Local',
      crossZone: false,
      grouped: false,
      podTargets: false,
      spared: undefined,
    })),
    sharedBudget: false,
    secondPool: true,
  },
  [
    ...Array.from({ length: 2 }, () => ['grant', 1] as const),
    ...Array.from({ length: 3 }, () => ['advance', 1] as const),
    ['happen', 0],
    ['advance', 1],
  ],
];

/** A pod is terminating, and the slice that still has it outlives two observations that agree. */
const listsLeaving: [WorldShape, Script] = [
  {
    zones: 1,
    nodesPerZone: 1,
    apps: [
      {
        app: 'app0',
        scale: 2,
        policy: 'Local',
        crossZone: false,
        grouped: false,
        podTargets: false,
        spared: undefined,
      },
    ],
    sharedBudget: false,
    secondPool: true,
  },
  [
    ['an app is scaled down', 0],
    ...Array.from({ length: 6 }, () => ['grant', 0] as const),
    ['somebody removes an exclude label', 0],
    ...Array.from({ length: 2 }, () => ['grant', 0] as const),
    ['happen', 0],
    ...Array.from({ length: 8 }, () => ['grant', 0] as const),
    ['grant', 231],
    ['grant', 105],
  ],
];

test('whatever happens to a cluster, in any order, no node is excluded, no pod acted on and no instance terminated that should not be', () => {
  fc.assert(
    fc.property(shape, everything, (cluster, events) => {
      const played = play({}, cluster, events);
      repair(played);
      comeToRest(played);
      expect(played.runs.flatMap(judgeRest)).toEqual([]);
      playOut(played);
      expect(played.violations).toEqual([]);
    }),
    { numRuns: runs, examples: [drainedIdle, listsLeaving] },
  );
});

test('once the world has settled and no instance has failed, every node is replaced, or a minimum forbids it', () => {
  fc.assert(
    fc.property(shape, withoutDeaths, (cluster, events) => {
      const played = openPlay(openWorld(cluster), {});
      fc.pre(
        played.runs.every(({ plan }) => !plan.findings.some(({ rule }) => rule === 'WKL-003' || rule === 'WKL-004')),
      );
      playScript(played, events);
      repair(played);
      playOut(played);
      for (const run of played.runs) {
        const { plan, baselines, waiting } = run;
        const { policy } = plan;
        const { stuck } = simulateBatches({
          facts: observeAt(played.world, played.now),
          policy,
          baselines,
          nodes: waiting,
        });
        if (stuck.length === 0) expect([run.waiting, run.inFlight]).toEqual([[], []]);
      }
    }),
    { numRuns: third },
  );
});

test('a run that nothing disturbs and that is not refused replaces every node', () => {
  fc.assert(
    fc.property(shape, quiet, (cluster, events) => {
      const played = openPlay(openWorld(cluster), {});
      fc.pre(played.runs.every(({ plan }) => refusal(plan) === undefined));
      fc.pre(played.runs.every(({ plan }) => !plan.findings.some(({ rule }) => rule === 'WKL-003')));
      playScript(played, events);
      playOut(played);
      for (const run of played.runs) {
        expect([run.waiting, run.inFlight]).toEqual([[], []]);
        expect(run.replaced.toSorted()).toEqual(run.plan.nodes.map((node) => node.name).toSorted());
      }
    }),
    { numRuns: third },
  );
});

/** What checking the load balancers again protects against, often enough that its absence is found soon. */
const removesLabels = script(['somebody removes an exclude label', 'a controller registers an excluded node']);

/** The seeds begin with clusters of which one is soon lost under the rule; from elsewhere it may take minutes. */
test.each<[string, PlayRules, fc.Arbitrary<Script>, number]>([
  ['without the guard', { policy: { disabledRules: ['capacity-guard'] } }, everything, 17],
  ['with the guard as it was before', { leaving: excludeAsBefore }, everything, 17],
  ['when nodes are excluded on the basis of a stale observation', { actsOnStaleObservations: true }, everything, 17],
  ['when a node that should not have been excluded stays out', { neverRestores: true }, everything, 28],
  ['when load balancers are not checked after the drain', { neverChecksAgain: true }, removesLabels, 13],
])('%s the same clusters do lose a Service', (_, rules, events, seed) => {
  const result = fc.check(
    fc.property(shape, events, (cluster, happened) => {
      const played = play(rules, cluster, happened);
      repair(played);
      comeToRest(played);
      const outWrongly = played.runs.flatMap(judgeRest);
      playOut(played);
      return played.violations.length + outWrongly.length === 0;
    }),
    { numRuns: 20_000, endOnFailure: true, seed },
  );
  expect(result.failed).toBe(true);
});

test('with a guard that does not know of pods as targets, those of a zone lose their load balancer', () => {
  const result = fc.check(
    fc.property(shape, everything, (cluster, happened) =>
      play({ leaving: forgetPodTargets }, cluster, happened).violations.every(
        (wrong) => !wrong.includes('all pods of'),
      ),
    ),
    { numRuns: 20_000, endOnFailure: true, seed: 26 },
  );
  expect(result.failed).toBe(true);
});

test('a node that may be excluded is found at any place in the queue', () => {
  fc.assert(
    fc.property(shape, everything, (cluster, events) => {
      const [run] = play({}, cluster, events).runs;
      if (run === undefined || run.inFlight.length >= run.plan.policy.guard.maxInFlight) return;
      const facts = observe(run);
      const { policy } = run.plan;
      const stableSince = Object.fromEntries(run.waiting.map(({ name }) => [name, 0]));
      const inFlight = run.inFlight.map(({ node }) => node);
      const question = { facts, policy, baselines: run.baselines, inFlight, stableSince };
      const pool = run.waiting;
      const alone = pool.flatMap((node) => selectCandidate({ ...question, waiting: [node] }).node?.name ?? []);
      const queued = selectCandidate({ ...question, waiting: pool });
      expect(queued.node?.name).toBe(alone[0]);
    }),
    { numRuns: 100 },
  );
});

test('whether a node may be excluded depends only on the load balancers that are said to decide', () => {
  const states = fc.infiniteStream(fc.constantFrom('healthy' as const, 'unhealthy' as const, 'draining' as const));
  fc.assert(
    fc.property(shape, everything, states, (cluster, events, random) => {
      const [run] = play({}, cluster, events).runs;
      if (run === undefined) return;
      const facts = observe(run);
      const inFlight = run.inFlight.map(({ node }) => node);
      const guardOf = (targetGroups: typeof facts.targetGroups) =>
        openGuard({
          ...run.plan,
          facts: { ...facts, targetGroups },
          baselines: run.baselines,
          inFlight,
          waiting: run.waiting,
        });
      for (const node of run.waiting) {
        const decides = guardOf(facts.targetGroups).decidedBy(node);
        const others = facts.targetGroups.map((group) => {
          if (decides.includes(group.service)) return group;
          const targets = group.targets.map((target) =>
            nameOfTarget(target) === node.instanceId ? target : { ...target, state: random.next().value },
          );
          return { ...group, targets };
        });
        // A target that fails elsewhere may become decisive. Then it is checked once more.
        const guard = guardOf(others);
        if (!guard.decidedBy(node).every((service) => decides.includes(service))) continue;
        expect(guard.findBlock(node)).toEqual(guardOf(facts.targetGroups).findBlock(node));
      }
    }),
    { numRuns: 100 },
  );
});

test('the answer does not depend on the order of the facts', () => {
  fc.assert(
    fc.property(shape, everything, fc.infiniteStream(fc.nat()), (cluster, events, numbers) => {
      const [run] = play({}, cluster, events).runs;
      if (run === undefined) return;
      const facts = observe(run);
      const shuffle = <T>(items: readonly T[]): readonly T[] =>
        items
          .map((item) => ({ item, key: numbers.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ item }) => item);
      const { cluster: parts } = facts;
      const shuffled = {
        ...facts,
        cluster: {
          ...parts,
          nodes: shuffle(parts.nodes),
          pods: shuffle(parts.pods),
          budgets: shuffle(parts.budgets),
          services: shuffle(parts.services),
          workloads: shuffle(parts.workloads),
        },
        targetGroups: shuffle(facts.targetGroups.map((group) => ({ ...group, targets: shuffle(group.targets) }))),
      };
      const { policy } = run.plan;
      const stableSince = Object.fromEntries(run.waiting.map(({ name }) => [name, 0]));
      const inFlight = run.inFlight.map(({ node }) => node);
      const question = { policy, baselines: run.baselines, inFlight, waiting: run.waiting, stableSince };
      expect(selectCandidate({ ...question, facts: shuffled })).toEqual(selectCandidate({ ...question, facts }));
      expect(learnBaselines([], shuffled, policy)).toEqual(learnBaselines([], facts, policy));
    }),
    { numRuns: 100 },
  );
});
