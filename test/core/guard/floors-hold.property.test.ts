import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStepOut } from '../../../core/guard/next-step-out.ts';
import { refusal } from '../../../core/plan/refusal.ts';
import { advance, figures, grant, happen, kill, openRun, type PlayedRun, playOut } from '../support/run.ts';
import { type Deployment, lookAt, openWorld } from '../support/world.ts';

/** Random clusters: zones, nodes, Services of both policies, cross-zone on and off, replicas, budgets or none. */
const deployment = (app: string): fc.Arbitrary<Deployment> =>
  fc
    .record({
      app: fc.constant(app),
      replicas: fc.integer({ min: 1, max: 9 }),
      policy: fc.constantFrom('Local', 'Cluster'),
      crossZone: fc.boolean(),
      spared: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    })
    .map(({ spared, ...rest }) => ({
      ...rest,
      maxUnavailable: spared === undefined ? undefined : Math.min(spared, rest.replicas),
    }));

const shape = fc.record({
  zones: fc.integer({ min: 1, max: 3 }),
  nodesPerZone: fc.integer({ min: 1, max: 3 }),
  deployments: fc
    .integer({ min: 1, max: 3 })
    .chain((n) => fc.tuple(...Array.from({ length: n }, (_, index) => deployment(`app${index}`)))),
});

/** What happens, in random order: [what, which]. */
const events = fc.array(
  fc.tuple(fc.constantFrom('grant', 'advance', 'happen', 'happen', 'happen', 'kill'), fc.nat(1000)),
  {
    minLength: 20,
    maxLength: 150,
  },
);

function play(run: PlayedRun, script: readonly (readonly [string, number])[], deaths: number): void {
  for (const [what, which] of script) {
    const crossing = run.inFlight[which % Math.max(1, run.inFlight.length)];
    if (what === 'grant') grant(run);
    else if (what === 'advance' && crossing !== undefined) advance(run, crossing);
    else if (what === 'kill' && run.world.deaths < deaths) kill(run, which);
    else happen(run, which);
  }
}

test('nothing that we do takes a Service below a floor, whatever else happens in whatever order', () => {
  fc.assert(
    fc.property(shape, events, (cluster, script) => {
      const run = openRun(openWorld(cluster), { guarded: true });
      play(run, script, 3);
      playOut(run);
      expect(run.violations).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('the same clusters without the guard do fall below a floor', () => {
  const result = fc.check(
    fc.property(shape, events, (cluster, script) => {
      const run = openRun(openWorld(cluster), { guarded: false });
      play(run, script, 3);
      playOut(run);
      return run.violations.length === 0;
    }),
    { numRuns: 300 },
  );
  expect(result.failed).toBe(true);
});

test('while no machine dies by itself, no figure that began at its floor or above is ever below it', () => {
  fc.assert(
    fc.property(shape, events, (cluster, script) => {
      const run = openRun(openWorld(cluster), { guarded: true });
      const sound = new Set([...figures(run)].filter(([, { has, floor }]) => has >= floor).map(([name]) => name));
      for (const event of script) {
        play(run, [event], 0);
        const low = [...figures(run)].filter(([name, { has, floor }]) => sound.has(name) && has < floor);
        expect(low).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

test('a run that is not refused replaces every node, in whatever order it began', () => {
  fc.assert(
    fc.property(shape, events, (cluster, script) => {
      const run = openRun(openWorld(cluster), { guarded: true });
      const neverSpares = run.plan.findings.some((finding) => finding.rule === 'WKL-003');
      fc.pre(refusal(run.plan) === undefined && !neverSpares);
      play(run, script, 0);
      playOut(run);
      expect([run.waiting, run.inFlight]).toEqual([[], []]);
      expect(run.replaced.toSorted()).toEqual(run.plan.nodes.map((node) => node.name).toSorted());
    }),
    { numRuns: 200 },
  );
});

test('a node that may go is found wherever it stands in the queue', () => {
  fc.assert(
    fc.property(shape, events, (cluster, script) => {
      const run = openRun(openWorld(cluster), { guarded: true });
      play(run, script, 3);
      const question = {
        facts: lookAt(run.world),
        services: run.plan.services,
        inFlight: run.inFlight.map(({ node }) => node),
        maxInFlight: 100,
        enabled: true,
      };
      const alone = run.waiting.map((node) =>
        nextStepOut({ ...question, waiting: run.waiting.filter((other) => other === node) }),
      );
      const queued = nextStepOut({ ...question, waiting: run.waiting });
      const may = alone.flatMap(({ node }) => node?.name ?? []);
      expect(queued.node?.name).toBe(may[0]);
      expect(queued.node === undefined).toBe(may.length === 0);
    }),
    { numRuns: 100 },
  );
});

test('the answer does not depend on the order of the facts', () => {
  fc.assert(
    fc.property(shape, events, fc.infiniteStream(fc.nat()), (cluster, script, numbers) => {
      const run = openRun(openWorld(cluster), { guarded: true });
      play(run, script, 3);
      const facts = lookAt(run.world);
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
        },
        targetGroups: shuffle(facts.targetGroups.map((group) => ({ ...group, targets: shuffle(group.targets) }))),
      };
      const { services } = run.plan;
      const question = {
        services,
        inFlight: run.inFlight.map(({ node }) => node),
        waiting: run.waiting,
        maxInFlight: 100,
        enabled: true,
      };
      expect(nextStepOut({ ...question, facts: shuffled })).toEqual(nextStepOut({ ...question, facts }));
    }),
    { numRuns: 100 },
  );
});
