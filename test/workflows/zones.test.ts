/** Zones that must keep a serving target, and schedulers that place replacements in any zone. */
import { describe, expect, test } from 'vitest';
import type { SpreadFacts } from '../../core/model/pod.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { resumeUpdate } from '../../workflows/messages.ts';
import { servingZones } from '../simulator/traffic.ts';
import type { World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];

/** One pod of each workload in each zone, and load balancers without cross-zone traffic. */
function onePerZone(
  count: number,
  scheduler: World['faults']['scheduler'],
  { spread, policy = {} }: { readonly spread?: SpreadFacts; readonly policy?: Partial<Policy> } = {},
): Upgrade {
  const upgrade = upgradeOf({
    nodes: count,
    zones: zones.slice(0, count),
    delays: { podReady: 6_000 },
    podSurge: {},
    policy,
  });
  const { world } = upgrade;
  for (const service of world.services) service.crossZone = false;
  if (spread !== undefined) spreadPods(world, spread);
  world.faults.scheduler = scheduler;
  return upgrade;
}

/** All Deployments have this constraint from the beginning. */
function spreadPods(world: World, spread: SpreadFacts): void {
  for (const workload of world.workloads) if (workload.kind === 'Deployment') workload.spreads = [spread];
  for (const pod of world.pods) if (pod.ownerKind === 'ReplicaSet') pod.spreads = [spread];
}

/** The fewest zones that Service `web` was served in while time passed. */
function watchZones(world: World): () => number {
  let fewest = Number.POSITIVE_INFINITY;
  const web = world.services.find(({ key }) => key === 'default/web');
  world.clock.onPassage(() => {
    if (web !== undefined) fewest = Math.min(fewest, servingZones(world, web).length);
  });
  return () => fewest;
}

const byZone: SpreadFacts = {
  topologyKey: 'topology.kubernetes.io/zone',
  maxSkew: 1,
  isRequired: true,
  countsReleased: true,
  countsCordoned: true,
};

describe('a run that surges pods, one in each zone', () => {
  test.each(someOf([1, 2, 3], 1))('restarts replacements that started in the wrong zone (%d)', async (seed) => {
    const { world, start } = onePerZone(3, 'any');
    for (let i = 0; i < seed; i++) world.random();
    const fewest = watchZones(world);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 3);
    expect(fewest()).toBe(3);
  });

  test.each(someOf(['any', 'crowds'], 1))(
    'follows a required constraint that counts released pods too (%s)',
    async (scheduler) => {
      const { world, start } = onePerZone(3, scheduler, { spread: byZone });
      const fewest = watchZones(world);
      const { harness, handle } = await start();
      const report = await harness.finish(handle);
      expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
      expectNothingLost(world);
      expectNothingLeft(world, 3);
      expect(fewest()).toBe(3);
    },
  );

  test('gives up a workload that starts in no other zone, and stalls with a fix that works', async () => {
    const { world, start } = onePerZone(2, 'crowds');
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/default\/web has 1 serving target in eu-west-1[ab] and must keep 1/);
    expect(stalledRun.stalled?.hint).toContain('enable cross-zone load balancing on');
    for (const service of world.services) service.crossZone = true;
    world.changed();
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'cross-zone is on' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected.join()).toContain('its replacements came to other zones');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });

  test('without waiting for replacements, waits for a zone that stays empty', async () => {
    const { start } = onePerZone(2, 'crowds', { policy: { disabledRules: ['wait-for-replacements'] } });
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain('and must keep 1');
    await handle.cancel();
    await handle.result().catch(() => undefined);
  });
});

describe('a run whose pods are spread over zones, released ones counted', () => {
  const spreadOf = (world: World) => {
    const pods = world.pods.filter(({ of, terminating }) => of === 'web' && !terminating);
    const zoneOf = new Map(world.nodes.map(({ name, zone }) => [name, zone]));
    return [...Map.groupBy(pods, ({ node }) => zoneOf.get(node ?? '')).values()].map(({ length }) => length);
  };

  test.each(
    someOf(
      [
        ['evenly, where half of them may be surplus', 6, 0.5, byZone, [2, 2, 2], 'pod surge'],
        ['by eviction, where fewer may be surplus than there are zones', 3, 'maxSurge', byZone, [1, 1, 1], 'evicted'],
        [
          'one by one, where the constraint counts none that was released',
          6,
          'maxSurge',
          { ...byZone, countsReleased: false },
          [2, 2, 2],
          'pod surge',
        ],
      ],
      2,
    ),
  )('moves them %s, and leaves them spread as they were', async (_, nodes, surplus, spread, left, how) => {
    const { world, start } = upgradeOf({ nodes, zones, podSurge: { max: surplus } });
    spreadPods(world, spread);
    world.faults.scheduler = 'any';
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, nodes);
    expect(spreadOf(world)).toEqual(left);
    expect(world.log.some((line) => line.endsWith(' released'))).toBe(how === 'pod surge');
  });
});
