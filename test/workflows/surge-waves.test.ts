/** New nodes start a few at a time; the next ones when as many old ones have terminated. */
import { describe, expect, test } from 'vitest';
import type { NodeSurgeLimit, Policy } from '../../core/policy/policy.ts';
import { abortUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { podSurgePolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'not today' };

function inWaves(surge: NodeSurgeLimit, mode: 'auto' | 'off' = 'auto'): Policy {
  return podSurgePolicy({ mode }, { nodeSurge: surge });
}

/** The highest number of instances that existed at the same time so far. */
function watchInstances(world: World): { readonly most: () => number } {
  let most = 0;
  world.clock.onPassage(() => {
    const there = world.instances.filter(({ state }) => state === 'pending' || state === 'running').length;
    most = Math.max(most, there);
  });
  return { most: () => most };
}

const poolNamed = (world: World, name: string) => world.pools.find((pool) => pool.name === name);

describe('waves of new nodes', () => {
  test.each(
    someOf(
      [
        [{ instances: 1 }, 'auto', 4, 1],
        [{ share: 0.5 }, 'auto', 8, 4],
        [{ instances: 3 }, 'auto', 8, 3],
        [{ instances: 2 }, 'off', 4, 2],
      ],
      2,
    ),
  )(
    'with node surge %j and pod surge %s replace %i nodes, with never more than %i additional instances',
    async (surge, mode, nodes, atOnce) => {
      const { world, start } = upgradeOf({ nodes, policy: inWaves(surge, mode) });
      const instances = watchInstances(world);
      const { harness, handle } = await start();
      const report = await harness.finish(handle);
      expect(report.outcome, world.log.join('\n')).toBe('completed');
      expectNothingLost(world);
      expectNothingLeft(world, nodes);
      expect(instances.most()).toBe(nodes + atOnce);
      expect(poolNamed(world, 'web-new')).toMatchObject({ desiredSize: nodes });
      expect(report.newNodes).toHaveLength(nodes);
      const minutes = report.durationMs / 60_000;
      expect(report.instanceMinutes).toBeGreaterThan(minutes / 2);
      expect(report.instanceMinutes).toBeLessThanOrEqual(atOnce * minutes);
    },
  );

  test('keep the zones of the pool as they are at every moment, except for the additional instances', async () => {
    const { world, start } = upgradeOf({ nodes: 6, policy: inWaves({ instances: 1 }) });
    const zones = [...new Set(world.instances.map(({ zone }) => zone))];
    let fewest = Number.POSITIVE_INFINITY;
    world.clock.onPassage(() => {
      for (const zone of zones) {
        const running = world.instances.filter((one) => one.zone === zone && one.state === 'running');
        fewest = Math.min(fewest, running.length);
      }
    });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(fewest).toBe(6 / zones.length);
    expectNothingLost(world);
  });

  variation('cost fewer instance minutes than all new nodes at once', async () => {
    const cost = async (surge: NodeSurgeLimit) => {
      const { harness, handle } = await upgradeOf({ nodes: 8, policy: inWaves(surge, 'off') }).start();
      return (await harness.finish(handle)).instanceMinutes ?? 0;
    };
    expect(await cost({ instances: 2 })).toBeLessThan(await cost({ share: 1 }));
  });

  test('succeed where the cloud has no capacity for more', async () => {
    const { world, start } = upgradeOf({ policy: inWaves({ instances: 2 }) });
    world.faults.capacity = 6;
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.externalChanges).toEqual([]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('are smaller, and the report says so, where the cloud has no capacity for a whole wave', async () => {
    const { world, start } = upgradeOf({ nodes: 6, policy: inWaves({ share: 0.5 }) });
    const instances = watchInstances(world);
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'resizePool') world.faults.capacity = 8;
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(instances.most()).toBe(9);
    const told = report.externalChanges.map(({ what }) => what);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^web-new has 5 of 6 instances; the run continues with those: .*Insufficient capacity/);
    expectNothingLost(world);
    expectNothingLeft(world, 6);
  });

  test('end with the desired number of instances, although the pool had fewer', async () => {
    const { world, start } = upgradeOf({ policy: inWaves({ instances: 1 }) });
    const [web] = world.pools;
    web?.suspended.push('Launch');
    if (web !== undefined) web.desiredSize = 6;
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    world.clock.advance(10 * 60_000);
    expectNothingLost(world);
    expectNothingLeft(world, 6);
  });

  variation('wait while the run is paused', async () => {
    const { world, start } = upgradeOf({ policy: inWaves({ instances: 1 }) });
    let pausing: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'terminateNode') pausing ??= handle.executeUpdate(pauseUpdate, { args: [operator] });
      },
    });
    await harness.until(handle, 'paused between waves', ({ paused, nodes }) => {
      return paused !== undefined && nodes.some(({ step }) => step === 'replaced');
    });
    await pausing;
    world.clock.advance(30 * 60_000);
    expect(poolNamed(world, 'web-new')?.desiredSize).toBe(1);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a run in waves that is aborted', () => {
  test.each(
    someOf(
      [
        ['createPool', 1],
        ['resizePool', 1],
        ['awaitNodesReady', 2],
      ],
      1,
    ),
  )('when %s begins for the %i. time keeps the number of instances, and nothing is lost', async (step, nth) => {
    const upgrade = upgradeOf({ policy: inWaves({ instances: 2 }) });
    const { world } = upgrade;
    await upgradeAndAbort(upgrade, { step, nth });
    expectNothingLost(world);
    world.clock.advance(60 * 60_000);
    expectNothingLeft(world, 4);
  });

  test('while the cloud has no capacity withdraws missing instances: none starts later', async () => {
    const { world, start } = upgradeOf({ nodes: 6, policy: inWaves({ share: 0.5 }) });
    let asked: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'resizePool') world.faults.capacity = 8;
      },
      progress: (step, { reason }) => {
        if (step === 'awaitNodesReady' && reason.includes('Insufficient capacity'))
          asked ??= handle.executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    const report = await harness.finish(handle);
    await asked;
    expect(report.outcome).toBe('aborted');
    world.faults.capacity = 100;
    world.clock.advance(60 * 60_000);
    expectNothingLost(world);
    expectNothingLeft(world, 6);
  });
});
