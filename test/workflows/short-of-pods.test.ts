/** Workloads that have fewer pods than they want, and go on having them: what was not there before is not waited for. */
import { describe, expect, test } from 'vitest';
import { scaleTo } from '../simulator/disturbances.ts';
import { createScenario, handOverPolicy } from '../simulator/scenario.ts';
import type { SimWorkload, World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

const minutes = (ms: number) => ms / 60_000;

function workloadNamed(world: World, name: string): SimWorkload {
  const found = world.workloads.find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`the world has no workload ${name}`);
  return found;
}

/** Six nodes with a pod of `web` each, which shall have seven. */
function openShortWorld(short: (web: SimWorkload, world: World) => void): World {
  const world = createScenario({ nodes: 6 });
  short(workloadNamed(world, 'web'), world);
  scaleTo(world, 'web', 7);
  world.clock.advance(60_000);
  return world;
}

/** One of its pods always crashes as soon as it starts: its successor does when it is ended. */
function crashOne(world: World): void {
  world.clock.onPassage(() => {
    const owned = world.pods.filter((pod) => pod.of === 'web' && pod.ownerKind !== 'none' && !pod.terminating);
    const next = owned.find(({ started }) => !started);
    if (next !== undefined && !owned.some(({ failing }) => failing)) next.failing = true;
  });
}

const shortages: readonly (readonly [string, (web: SimWorkload, world: World) => void, number])[] = [
  [
    'finds no node',
    (web) => {
      web.fillsNode = true;
    },
    12,
  ],
  ['crashes again and again', (_, world) => crashOne(world), 12],
  [
    'is refused by a quota',
    (web) => {
      web.quota = 6;
    },
    12,
  ],
];

/** Its ReplicaSet is refused for hours: by then it tries again every 17 minutes, unless something of its own changes. */
function openRefusedForHours(quota: number): World {
  const world = openShortWorld((web) => {
    web.quota = quota;
  });
  world.clock.advance(2 * 60 * 60_000);
  return world;
}

describe('a replica that', () => {
  test('a quota has refused for hours holds nobody up either', async () => {
    const world = openRefusedForHours(6);
    const startedAt = world.clock.now();
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handOverPolicy()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(30);
  });

  test('a budget waits for, and a quota has refused for hours, holds up no pod beside it', async () => {
    const world = createScenario({ nodes: 3 });
    scaleTo(world, 'api', 6);
    world.clock.advance(60_000);
    workloadNamed(world, 'api').quota = 6;
    for (const budget of world.budgets) if (budget.name === 'api') Object.assign(budget, { minAvailable: 5 });
    scaleTo(world, 'api', 7);
    world.clock.advance(2 * 60 * 60_000);
    const startedAt = world.clock.now();
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handOverPolicy()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 3);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(30);
  });

  test.each(shortages)('%s holds nobody up', async (_, short, withinMinutes) => {
    const world = openShortWorld(short);
    const startedAt = world.clock.now();
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(handOverPolicy()));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(withinMinutes);
  });
});
