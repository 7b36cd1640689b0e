/** A node that was restored because it should not have been excluded is excluded again, whichever others are in progress. */
import { describe, expect, inject, test } from 'vitest';
import { connectTemporalAt } from '../../client/connect.ts';
import { fetchRun } from '../../client/fetch-status.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { scaleTo, setBudget } from '../simulator/disturbances.ts';
import { variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const oneByOne = { guard: { maxInFlight: 1 } };

/** Two pods of `web` on each node: with a budget of one, no node may be excluded. */
function crowd(scene: UpgradeScene = {}): Upgrade {
  const upgrade = upgradeOf(scene);
  const { world } = upgrade;
  scaleTo(world, 'web', 8);
  setBudget(world, 'web', 2);
  world.clock.advance(5 * 60_000);
  return upgrade;
}

/** The steps of the nodes of a run, as `nodeferry status` shows them. */
async function stepsInStatus(workflowId: string): Promise<readonly string[]> {
  const [, cluster = '', pool = ''] = workflowId.split('/');
  const connection = await connectTemporalAt({ address: inject('temporalAddress'), namespace: 'default' });
  try {
    const { status } = await fetchRun(connection, { cluster, pool });
    return status.nodes.map(({ step }) => step);
  } finally {
    await connection.close();
  }
}

describe('a node that was restored', () => {
  test('is excluded again, alone as before, when its obstacle is removed', async () => {
    const { world, start } = crowd({ policy: oneByOne });
    let struck = false;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || struck) return;
        struck = true;
        setBudget(world, 'web', 1);
        world.clock.at(world.clock.now() + 5 * 60_000, () => setBudget(world, 'web', 2));
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.externalChanges.map(({ what }) => what).join()).toContain('was restored: budget default/web');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('again and again stalls the run, and is replaced once the cause is gone', async () => {
    const { world, start } = crowd({ policy: oneByOne });
    let turns = 0;
    let steady = false;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || steady) return;
        turns += 1;
        setBudget(world, 'web', 1);
      },
      after: (step) => {
        if (step === 'restoreNode') setBudget(world, 'web', 2);
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/was excluded 6 times and restored each time, .* budget default\/web/);
    expect(turns).toBeGreaterThanOrEqual(6);
    steady = true;
    setBudget(world, 'web', 2);
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'it is steady' }] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation('and can’t be excluded again stalls the run at the deadline of the guard', async () => {
    const { world, start } = crowd();
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'awaitConnectionsDrained') setBudget(world, 'web', 1);
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain('budget default/web');
    expect(stalledRun.nodes.map(({ step }) => step)).toEqual(['pending', 'pending', 'pending', 'pending']);
    expect(await stepsInStatus(handle.workflowId)).toEqual(stalledRun.nodes.map(({ step }) => step));
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'no room' }] });
    expect((await harness.finish(handle)).outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
