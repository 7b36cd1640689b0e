/** An aborted run leaves groups that the cloud does not rebalance: rebalancing would terminate an instance that serves. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { abortUpdate } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'seen enough' };

const oneByOne = { policy: { guard: { maxInFlight: 1 } } };

/** Aborts when the n-th node begins to lose its pods, and lets the world continue long after the end. */
async function abortAtEviction({ world, start }: Upgrade, nth: number): Promise<RunReport> {
  let begun = 0;
  const { harness, handle } = await start({
    before: async (step) => {
      begun += step === 'evictPods' ? 1 : 0;
      if (step === 'evictPods' && begun === nth) await handle.executeUpdate(abortUpdate, { args: [operator] });
    },
  });
  const report = await harness.finish(handle);
  world.clock.advance(30 * 60_000);
  return report;
}

function zonesOf(world: World, pool: string): Record<string, number> {
  const living = world.instances.filter((one) => one.pool === pool && one.state === 'running');
  return Object.fromEntries(
    Object.entries(Object.groupBy(living, ({ zone }) => zone)).map(([zone, instances]) => [
      zone,
      instances?.length ?? 0,
    ]),
  );
}

describe('an abort with some nodes replaced', () => {
  test.each(someOf([2, 3, 4], 1))(
    'at eviction %i keeps both pools balanced, and nothing is lost long after its end',
    async (nth) => {
      const upgrade = upgradeOf(oneByOne);
      const { world } = upgrade;
      const report = await abortAtEviction(upgrade, nth);
      expect(report.outcome).toBe('aborted');
      expect(report.leftovers).toEqual([]);
      expectNothingLost(world);
      for (const pool of world.pools) {
        const counts = pool.zones.map((zone) => zonesOf(world, pool.name)[zone] ?? 0);
        expect(Math.max(...counts) - Math.min(...counts), JSON.stringify(counts)).toBeLessThanOrEqual(1);
        expect(pool.suspended).toEqual([]);
      }
      expect(world.pools.reduce((sum, pool) => sum + pool.desiredSize, 0)).toBe(4);
    },
  );

  variation('in three zones too', async () => {
    const upgrade = upgradeOf({ ...oneByOne, nodes: 6, zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] });
    const { world } = upgrade;
    const report = await abortAtEviction(upgrade, 4);
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expect(zonesOf(world, 'web-new')).toEqual({ 'eu-west-1a': 1, 'eu-west-1b': 1, 'eu-west-1c': 1 });
  });

  test('that leaves the zones of the old pool unbalanced keeps rebalancing suspended, and says how to end that', async () => {
    const { world, start } = upgradeOf(oneByOne);
    let begun = 0;
    const { harness, handle } = await start({
      before: async (step, [input]) => {
        if (step === 'excludeNext') {
          // All nodes of the first zone are replaced before any of the second.
          const { waiting } = input as { waiting: { zone: string }[] };
          waiting.sort((a, b) => (a.zone < b.zone ? -1 : 1));
        }
        begun += step === 'evictPods' ? 1 : 0;
        if (step === 'evictPods' && begun === 3) await handle.executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    const report = await harness.finish(handle);
    world.clock.advance(30 * 60_000);
    expect(report.outcome).toBe('aborted');
    expect(report.leftovers.join('\n')).toContain('AZRebalance stays suspended');
    expect(world.pools.find((pool) => pool.name === 'web')?.suspended).toEqual(['AZRebalance']);
    expectNothingLost(world);
  });
});
