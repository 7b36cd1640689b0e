/** A node that was restored because it should not have gone takes another turn, whoever else is on the way. */
import { describe, expect, inject, test } from 'vitest';
import { connectTemporalAt } from '../../client/connect.ts';
import { fetchRun } from '../../client/fetch-status.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { scaleTo, setBudget } from '../simulator/disturbances.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

const oneByOne = { guard: { ...scenarioPolicy().guard, maxInFlight: 1 } };

/** Two pods of `web` on each node: with a budget of one, no node may go. */
function crowd(): World {
  const world = createScenario();
  scaleTo(world, 'web', 8);
  setBudget(world, 'web', 2);
  world.clock.advance(5 * 60_000);
  return world;
}

/** Where the nodes of a run are, as `nodeferry status` finds out. */
async function lookAsOperator(workflowId: string): Promise<readonly string[]> {
  const [, cluster = '', pool = ''] = workflowId.split('/');
  const connection = await connectTemporalAt({ address: inject('temporalAddress'), namespace: 'default' });
  try {
    const { status } = await fetchRun(connection, { cluster, pool });
    return status.nodes.map(({ step }) => step);
  } finally {
    await connection.close();
  }
}

describe('a node that was put back', () => {
  test('goes again, alone on the way as it was, when what held it has been mended', async () => {
    const world = crowd();
    let struck = false;
    const harness = await openHarness(world, {
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || struck) return;
        struck = true;
        setBudget(world, 'web', 1);
        world.clock.at(world.clock.now() + 5 * 60_000, () => setBudget(world, 'web', 2));
      },
    });
    const report = await harness.finish(await harness.start(scenarioPolicy(oneByOne)));
    expect(report.outcome).toBe('completed');
    expect(report.externalChanges.map(({ what }) => what).join()).toContain('was put back: budget default/web');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('again and again calls for an operator, and goes on once that is over', async () => {
    const world = crowd();
    let turns = 0;
    let steady = false;
    const harness = await openHarness(world, {
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || steady) return;
        turns += 1;
        setBudget(world, 'web', 1);
      },
      after: (step) => {
        if (step === 'restoreNode') setBudget(world, 'web', 2);
      },
    });
    const handle = await harness.start(scenarioPolicy(oneByOne));
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/was let go 6 times and came back each time, .* budget default\/web/);
    expect(turns).toBeGreaterThanOrEqual(6);
    steady = true;
    setBudget(world, 'web', 2);
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'it is steady' }] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('and can’t go again calls for an operator at the guard’s deadline', async () => {
    const world = crowd();
    const harness = await openHarness(world, {
      before: (step) => {
        if (step === 'awaitConnectionsDrained') setBudget(world, 'web', 1);
      },
    });
    const handle = await harness.start(scenarioPolicy());
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain('budget default/web');
    expect(stalledRun.nodes.map(({ step }) => step)).toEqual(['pending', 'pending', 'pending', 'pending']);
    expect(await lookAsOperator(handle.workflowId)).toEqual(stalledRun.nodes.map(({ step }) => step));
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'no room' }] });
    expect((await harness.finish(handle)).outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
