import { expect } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { abortUpdate, rollbackUpdate } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from './run-checks.ts';
import type { StepHooks } from './temporal-harness.ts';
import type { Upgrade } from './upgrade-of.ts';

/** The step that begins for the `nth` time (the first when not said). */
interface Moment {
  readonly step: string;
  readonly nth?: number;
}

/** Starts an upgrade and aborts it at that moment. */
export async function upgradeAndAbort(upgrade: Upgrade, at: Moment, hooks: StepHooks = {}): Promise<RunReport> {
  const report = await upgradeAndEnd(upgrade, at, hooks, abortUpdate);
  expect(report.outcome, upgrade.world.log.join('\n')).toBe('aborted');
  return report;
}

/** Starts an upgrade and rolls it back to the old pool at that moment. */
export async function upgradeAndRollBack(upgrade: Upgrade, at: Moment, hooks: StepHooks = {}): Promise<RunReport> {
  const report = await upgradeAndEnd(upgrade, at, hooks, rollbackUpdate);
  expect(report.outcome, upgrade.world.log.join('\n')).toBe('rolled-back');
  return report;
}

async function upgradeAndEnd(
  { start }: Upgrade,
  at: Moment,
  hooks: StepHooks,
  update: typeof abortUpdate,
): Promise<RunReport> {
  let begun = 0;
  let asked: Promise<unknown> | undefined;
  const started = Promise.withResolvers<void>();
  const { harness, handle } = await start({
    ...hooks,
    before: async (step, args) => {
      await hooks.before?.(step, args);
      if (step !== at.step) return;
      begun += 1;
      if (begun !== (at.nth ?? 1)) return;
      // Preflight may begin before it is known here that the run has started.
      await started.promise;
      const given = handle.startUpdate(update, {
        args: [{ by: 'ann', reason: 'not today' }],
        waitForStage: 'ACCEPTED',
      });
      asked = given.then(async (one) => await one.result());
      // The step does not go on before the run has it: it may be the last one in which it is not too late.
      await Promise.allSettled([given]);
    },
  });
  started.resolve();
  const report = await harness.finish(handle);
  await asked;
  return report;
}

/** The old pool serves at the size that it had, nothing was lost on the way, and nothing of ours is left. */
export function expectServedByOldPool(world: World, size = 4): void {
  expectNothingLost(world);
  expectNothingLeft(world, size);
  expect(world.pools.map(({ name }) => name)).toEqual(['web']);
  expect(world.pools[0]).toMatchObject({ version: 'v1.35.9', desiredSize: size, minSize: 1, maxSize: size * 2 });
  expect(world.nodes.map(({ pool, ready }) => ({ pool, ready }))).toEqual(
    Array.from({ length: size }, () => ({ pool: 'web', ready: true })),
  );
  for (const app of ['web', 'api'])
    expect(world.pods.filter(({ of, ready, terminating }) => of === app && ready && !terminating)).toHaveLength(size);
}
