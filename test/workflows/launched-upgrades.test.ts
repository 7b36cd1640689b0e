/** Upgrades that a schedule launches: the launcher starts one when there is something to do, and ends as it ends. */
import { describe, expect, test } from 'vitest';
import { weekdays } from '../../core/schedule/schedule.ts';
import { abortUpdate, rejectUpdate } from '../../workflows/messages.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** The simulated world begins at midnight UTC. */
function upgradeIn(from: number, to: number): Upgrade {
  const windows = [{ days: weekdays, startMinute: 60 * from, endMinute: 60 * to }];
  return upgradeOf({ policy: { schedule: { windows } } });
}

describe('when a window opens', () => {
  test('the pool is upgraded under its fixed ID, the launcher lasts as long, and a second one starts nothing', async () => {
    const { world, policy } = upgradeIn(0, 24);
    let second: unknown;
    const harness = await openHarness(world, {
      before: async (step) => {
        if (step !== 'cordonNodes' || second !== undefined) return;
        second = 'starting';
        const { launcher: id } = await harness.launch(policy);
        second = await harness.workflow(id).result();
      },
    });
    const { launcher, upgrade } = await harness.launch(policy);
    const result = await harness.workflow(launcher).result();
    expect(result).toMatchObject({ started: true, reason: 'replaced by web-new' });
    expect(second).toEqual({ started: false, reason: 'an upgrade of the pool is under way already' });
    const report = await harness.workflow(upgrade).result();
    expect(report).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
    // The pool that the policy names is gone: there is nothing to do at the next opening.
    const { launcher: next } = await harness.launch(policy);
    expect(await harness.workflow(next).result()).toEqual({ started: false, reason: 'web-new has replaced web' });
  });

  test('nothing is started where a schedule fires without an open window', async () => {
    const { world, policy } = upgradeIn(10, 12);
    const harness = await openHarness(world);
    const { launcher } = await harness.launch(policy);
    const result = await harness.workflow(launcher).result();
    expect(result).toEqual({ started: false, reason: 'no upgrade window is open: opens Thu 10:00 (in 9h 48m)' });
    expect(world.leases.size).toBe(0);
  });

  test('the launcher fails when the upgrade is aborted, so that the schedule pauses, and names who did it', async () => {
    const { world, policy } = upgradeIn(0, 24);
    const harness = await openHarness(world, {
      before: async (step) => {
        if (step !== 'awaitDeregistered') return;
        const args: [{ by: string; reason: string }] = [{ by: 'ann', reason: 'not today' }];
        await harness
          .workflow(upgrade)
          .executeUpdate(abortUpdate, { args })
          .catch(() => undefined);
      },
    });
    const { launcher, upgrade } = await harness.launch(policy);
    const failure: unknown = await harness
      .workflow(launcher)
      .result()
      .catch((error: unknown) => error);
    expect(String((failure as Error).cause)).toContain('the upgrade was aborted by ann: not today');
    expectNothingLost(world);
  });

  test('the launcher names who has rejected the upgrade, what, and why', async () => {
    const approvals = { at: ['canary'], timeoutMs: undefined, onTimeout: 'stall' } as const;
    const windows = [{ days: weekdays, startMinute: 0, endMinute: 60 * 24 }];
    const { world, policy } = upgradeOf({
      policy: { schedule: { windows }, rollout: { canary: { nodes: 1, soakMs: 0 }, approvals } },
    });
    const harness = await openHarness(world);
    const { launcher, upgrade } = await harness.launch(policy);
    const args: [{ by: string; reason: string }] = [{ by: 'ann', reason: 'it restarts' }];
    const reject = async () => await harness.workflow(upgrade).executeUpdate(rejectUpdate, { args });
    await expect
      .poll(
        async () =>
          await reject().then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    const failure: unknown = await harness
      .workflow(launcher)
      .result()
      .catch((error: unknown) => error);
    expect(String((failure as Error).cause)).toContain('the upgrade was rejected (canary) by ann: it restarts');
  });
});
