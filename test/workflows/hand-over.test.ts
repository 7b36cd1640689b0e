/** Pods are replaced before they leave, so that all nodes may leave together. */
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { abortUpdate } from '../../workflows/messages.ts';
import { marksOf } from '../simulator/cluster-port.ts';
import { rollOut, scaleTo, setBudget } from '../simulator/disturbances.ts';
import { deleteDeployment } from '../simulator/replica-sets.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

function handingOver(surplus: 'maxSurge' | number = 1): Policy {
  const policy = scenarioPolicy();
  return { ...policy, guard: { ...policy.guard, maxInFlight: 10 }, handOver: { mode: 'auto', surplus } };
}

const podsOf = (world: World, app: string) =>
  world.pods.filter(({ of, terminating }) => of === app && !terminating).map(({ uid }) => uid);

function deleteWeb(world: World): void {
  deleteDeployment(world, 'web');
  world.services = world.services.filter(({ key }) => key !== 'default/web');
  world.changed();
}

describe('a run that hands over', () => {
  test('lets all nodes go together; no Service ever has less than before, and nothing is lost', async () => {
    const world = createScenario();
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handingOver()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([...world.fewestServing]).toEqual([
      ['default/web', 4],
      ['default/api', 4],
    ]);
    const excluded = world.log.filter((line) => line.endsWith('excluded'));
    const evicted = world.log.findIndex((line) => line.includes(' unlisted'));
    expect(excluded).toHaveLength(4);
    expect(world.log.slice(0, evicted).filter((line) => line.endsWith('excluded'))).toHaveLength(4);
  });

  test('passes budgets that never allow', async () => {
    const world = createScenario();
    for (const name of ['web', 'api']) setBudget(world, name, 0);
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handingOver()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('replaces a Service with one endpoint per zone, cross-zone off', async () => {
    const world = createScenario({ nodes: 2 });
    for (const service of world.services) service.crossZone = false;
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handingOver()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
    expect(world.fewestServing.get('default/web')).toBe(2);
  });

  test('goes wave by wave where workloads allow fewer pods beside their own', async () => {
    const world = createScenario();
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handingOver(0.5)));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.fewestServing.get('default/web')).toBe(4);
  });

  test.each([
    ['rolls out', (world: World) => rollOut(world, 'web'), 4],
    ['is scaled down', (world: World) => scaleTo(world, 'web', 2), 2],
    ['is scaled up', (world: World) => scaleTo(world, 'web', 6), 6],
    ['is deleted with its Service', deleteWeb, 0],
  ] as const)('ends well when a workload %s in the middle', async (_, strike, left) => {
    const world = createScenario();
    let struck = false;
    const harness = await openHarness(world, {
      progress: (step, { reason }) => {
        if (step !== 'handOver' || struck || !reason.includes('released')) return;
        struck = true;
        strike(world);
      },
    });
    const policy = handingOver();
    const traffic = { ...policy.traffic, lossBudget: 1_000_000 };
    const report = await harness.finish(await harness.start({ ...policy, traffic }));
    expect(struck).toBe(true);
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
    expect(podsOf(world, 'web')).toHaveLength(left);
    if (left >= 4) expectNothingLost(world);
  });

  test('evicts a workload within its budget whose replacements don’t come up, and says so', async () => {
    const world = createScenario();
    const before = new Set(podsOf(world, 'web'));
    let isMended = false;
    world.clock.onPassage(() => {
      for (const pod of world.pods) if (pod.of === 'web' && !before.has(pod.uid)) pod.failing = !isMended;
    });
    const harness = await openHarness(world, {
      before: (step) => {
        if (step === 'letNextStepOut') isMended = true;
      },
    });
    const report = await harness.finish(await harness.start(handingOver()));
    expect(report.outcome).toBe('completed');
    expect(report.notProtected).toContainEqual(
      expect.stringMatching(/^Deployment default\/web was not handed over, but evicted within its budget: 0 of 4 pods/),
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(['awaitObservedOut', 'awaitDrained', 'evictPods', 'retireEndpoints', 'terminateNode'])(
    'aborted at %s, leaves nothing and loses nothing',
    async (at) => {
      const world = createScenario();
      let asked: Promise<unknown> | undefined;
      const harness = await openHarness(world, {
        before: (step) => {
          if (step === at) asked ??= handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
        },
      });
      const handle = await harness.start(handingOver());
      const report = await harness.finish(handle);
      await asked;
      expect(report.outcome, world.log.join('\n')).toBe('aborted');
      expectNothingLost(world);
      expect(marksOf(world)).toEqual([]);
      expect([podsOf(world, 'web').length, podsOf(world, 'api').length]).toEqual([4, 4]);
    },
  );

  test('aborted while replacements start, leaves the very pods that were there', async () => {
    const world = createScenario();
    const before = [podsOf(world, 'web'), podsOf(world, 'api')];
    let asked: Promise<unknown> | undefined;
    const harness = await openHarness(world, {
      progress: (step, { reason }) => {
        if (step === 'handOver' && reason.includes('released'))
          asked ??= handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
      },
    });
    const handle = await harness.start(handingOver());
    const report = await harness.finish(handle);
    await asked;
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([podsOf(world, 'web'), podsOf(world, 'api')]).toEqual(before);
  });
});
