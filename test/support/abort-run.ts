import { expect } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { abortUpdate } from '../../workflows/messages.ts';
import type { StepHooks } from './temporal-harness.ts';
import type { Upgrade } from './upgrade-of.ts';

/** Starts an upgrade and aborts it when the step `at` begins for the `nth` time (the first when not said). */
export async function upgradeAndAbort(
  { world, start }: Upgrade,
  at: { readonly step: string; readonly nth?: number },
  hooks: StepHooks = {},
): Promise<RunReport> {
  let begun = 0;
  let asked: Promise<unknown> | undefined;
  const { harness, handle } = await start({
    ...hooks,
    before: async (step, args) => {
      await hooks.before?.(step, args);
      if (step !== at.step) return;
      begun += 1;
      if (begun === (at.nth ?? 1))
        asked = handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
    },
  });
  const report = await harness.finish(handle);
  await asked;
  expect(report.outcome, world.log.join('\n')).toBe('aborted');
  return report;
}
