/** Two upgrades of one cluster at once, and nodes that come back in before a pod of them is touched. */
import { describe, expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { excludedNodes, flap, setBudget } from '../simulator/disturbances.ts';
import { addServingPool, createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { Harness } from '../support/temporal-harness.ts';

/** Sees at every moment how many pods of a workload are ready on nodes that are in; answers the fewest that ever were. */
function watchFewestReached(world: World, workload: string): () => number {
  let fewest = Number.POSITIVE_INFINITY;
  world.clock.onPassage(() => {
    const out = new Set(excludedNodes(world).map(({ name }) => name));
    const reached = world.pods.filter((pod) => pod.of === workload && pod.ready && !out.has(pod.node ?? ''));
    fewest = Math.min(fewest, reached.length);
  });
  return () => fewest;
}

describe('two pools behind the same Service', () => {
  const blue = scenarioPolicy({
    name: 'blue-to-1.36',
    pool: { provider: 'eks', name: 'blue' },
    target: { ...scenarioPolicy().target, poolName: 'blue-new' },
  });

  test('are replaced at once, and never step out together beyond what the budget spares', async () => {
    const world = createScenario();
    addServingPool(world, 'blue', 4);
    setBudget(world, 'web', 2);
    const fewestReached = watchFewestReached(world, 'web');
    const harness = await openHarness(world);
    const [web, other] = await Promise.all([harness.start(scenarioPolicy()), harness.start(blue, { run: 'run-2' })]);
    const reports = await Promise.all([harness.finish(web), harness.finish(other)]);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(fewestReached()).toBe(6);
    expectNothingLost(world);
    expectNothingLeft(world, 8);
  });
});

describe('two pools behind the same Service that are handed over', () => {
  test('at once, let all their nodes go together: what the other brings up for a while is nobody’s measure', async () => {
    const world = createScenario({ nodes: 2 });
    addServingPool(world, 'blue', 2);
    const guard = { ...podSurgePolicy().guard, defaultMinServing: 0.75 };
    const policy = podSurgePolicy({}, { guard });
    const target = { ...policy.target, poolName: 'blue-new' };
    const blue = { ...policy, name: 'blue-to-1.36', pool: { ...policy.pool, name: 'blue' }, target };
    const started = Promise.withResolvers<Awaited<ReturnType<Harness['start']>>>();
    const planned = Promise.withResolvers<void>();
    let plans = 0;
    let asked = false;
    const harness = await openHarness(world, {
      // The other run plans while all new nodes of the first one serve beside the old ones.
      before: async (step) => {
        if (step !== 'excludeNext' || asked) return;
        asked = true;
        started.resolve(await harness.start(policy, { run: 'run-2' }));
        await planned.promise;
      },
      after: (step) => {
        if (step === 'preflight' && ++plans === 2) planned.resolve();
      },
    });
    const first = await harness.start(blue);
    const second = await started.promise;
    const reports = await Promise.all([harness.finish(first), harness.finish(second)]);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    for (const { nodes } of reports)
      expect(
        outTogether(
          world,
          nodes.map(({ node }) => node.name),
        ),
      ).toBe(2);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

/** How many of the nodes stepped out before the first of them was ended. */
function outTogether(world: World, names: readonly string[]): number {
  const ended = world.log.findIndex((line) => names.some((name) => line.endsWith(`(${name}) terminates`)));
  return names.filter((name) => world.log.slice(0, ended).some((line) => line.endsWith(`${name} excluded`))).length;
}

describe('a node that was let go by a look that is over', () => {
  test('because the answer got lost comes back in when it is not spared any more, before a pod of it is touched', async () => {
    const world = createScenario();
    let lost = false;
    let out: readonly string[] | undefined;
    const harness = await openHarness(world, {
      after: (step) => {
        if (step !== 'excludeNext' || lost) return;
        lost = true;
        const [leaving] = excludedNodes(world);
        for (const pod of world.pods) if (pod.of === 'web' && pod.node !== leaving?.name) pod.failing = true;
        world.changed();
        world.clock.at(world.clock.now() + 60_000, () => {
          out = excludedNodes(world).map(({ name }) => name);
          for (const pod of world.pods) pod.failing = false;
        });
        throw new Error('the answer is lost');
      },
    });
    const guard = { ...scenarioPolicy().guard, maxInFlight: 1 };
    const policy = scenarioPolicy({ guard, traffic: { probes: [], lossBudget: 1_000_000, watchAfterMs: 0 } });
    const report = await harness.finish(await harness.start(policy));
    expect(report.outcome).toBe('completed');
    expect(out).toEqual([]);
    expect(report.externalChanges.map(({ what }) => what).join('\n')).toMatch(/was put back: default\/web/);
    expect(world.violations).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('a pause because of lost requests', () => {
  test('takes nodes back in that have evicted nothing yet, and empties no other one', async () => {
    const world = createScenario();
    let overAt = Number.POSITIVE_INFINITY;
    const harness = await openHarness(world, {
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || overAt < Number.POSITIVE_INFINITY) return;
        flap(world, 'web', 8_000);
        overAt = world.clock.now() + 60_000;
      },
    });
    const handle = await harness.start(scenarioPolicy());
    const paused = await harness.until(
      handle,
      'paused with nobody on the way',
      ({ paused: pause, nodes }) =>
        pause?.by === 'nodeferry' &&
        world.clock.now() > overAt &&
        nodes.every(({ step }) => step === 'pending' || step === 'replaced'),
    );
    expect(paused.paused?.reason).toMatch(/requests lost, the budget is 10/);
    expect(paused.nodes.filter(({ step }) => step === 'replaced')).toEqual([]);
    expect(excludedNodes(world)).toEqual([]);
    expect(paused.externalChanges.map(({ what }) => what).join('\n')).toMatch(/was put back: the run was paused/);
    const { lost } = world.traffic;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'the flap is over' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(world.traffic.lost).toBe(lost);
    expect(world.violations).toEqual([]);
    expectNothingLeft(world, 4);
  });
});
