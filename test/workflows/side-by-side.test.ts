/** Two upgrades of one cluster at the same time, and nodes that are restored before any of their pods is evicted. */
import { describe, expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { excludedNodes, flap, setBudget } from '../simulator/disturbances.ts';
import { addServingPool, createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { Harness } from '../support/temporal-harness.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Counts at every moment the ready pods of a workload on nodes that are not excluded; returns the lowest count. */
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

  test('are replaced at the same time, and never exclude more nodes together than the budget allows', async () => {
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

describe('two pools behind the same Service with pod surge', () => {
  test('at the same time replace all their nodes together: additional pods of the other run do not raise the baseline', async () => {
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
      // The other run makes its plan while all new nodes of the first one serve beside the old ones.
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

/** How many of the nodes were excluded before the first of them terminated. */
function outTogether(world: World, names: readonly string[]): number {
  const ended = world.log.findIndex((line) => names.some((name) => line.endsWith(`(${name}) terminates`)));
  return names.filter((name) => world.log.slice(0, ended).some((line) => line.endsWith(`${name} excluded`))).length;
}

describe('a node that was excluded because of an outdated observation', () => {
  test('whose response was lost is restored when capacity no longer allows it, before any of its pods is evicted', async () => {
    const { world, start } = upgradeOf({
      policy: { guard: { maxInFlight: 1 }, traffic: { lossBudget: 1_000_000 } },
    });
    let lost = false;
    let excluded: readonly string[] | undefined;
    const { harness, handle } = await start({
      after: (step) => {
        if (step !== 'excludeNext' || lost) return;
        lost = true;
        const [leaving] = excludedNodes(world);
        for (const pod of world.pods) if (pod.of === 'web' && pod.node !== leaving?.name) pod.failing = true;
        world.changed();
        world.clock.at(world.clock.now() + 60_000, () => {
          excluded = excludedNodes(world).map(({ name }) => name);
          for (const pod of world.pods) pod.failing = false;
        });
        throw new Error('the answer is lost');
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(excluded).toEqual([]);
    expect(report.externalChanges.map(({ what }) => what).join('\n')).toMatch(/was restored: default\/web/);
    expect(world.violations).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('a pause because of lost requests', () => {
  test('restores nodes that have evicted nothing yet, and empties no other one', async () => {
    const { world, start } = upgradeOf();
    let overAt = Number.POSITIVE_INFINITY;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || overAt < Number.POSITIVE_INFINITY) return;
        flap(world, 'web', 8_000);
        overAt = world.clock.now() + 60_000;
      },
    });
    const paused = await harness.until(
      handle,
      'paused with no node in progress',
      ({ paused: pause, nodes }) =>
        pause?.by === 'nodeferry' &&
        world.clock.now() > overAt &&
        nodes.every(({ step }) => step === 'pending' || step === 'replaced'),
    );
    expect(paused.paused?.reason).toMatch(/requests lost, the budget is 10/);
    expect(paused.nodes.filter(({ step }) => step === 'replaced')).toEqual([]);
    expect(excludedNodes(world)).toEqual([]);
    expect(paused.externalChanges.map(({ what }) => what).join('\n')).toMatch(/was restored: the run was paused/);
    const { lost } = world.traffic;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'the flap is over' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(world.traffic.lost).toBe(lost);
    expect(world.violations).toEqual([]);
    expectNothingLeft(world, 4);
  });
});
