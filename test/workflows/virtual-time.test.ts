import { describe, expect, test } from 'vitest';
import { abortUpdate, statusQuery } from '../../workflows/messages.ts';
import { addBatchPool, createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { openHarness, withOwnClient } from '../support/open-harness.ts';
import { expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** An upgrade of the other pool of the same cluster. */
function batchPolicy() {
  const base = scenarioPolicy();
  return { ...base, pool: { ...base.pool, name: 'batch' }, target: { ...base.target, poolName: 'batch-new' } };
}

describe('virtual time', () => {
  test('waits for the workflows of two upgrades in one world', async () => {
    const world = createScenario();
    addBatchPool(world);
    const harness = await openHarness(world);
    const runs = [await harness.start(scenarioPolicy()), await harness.start(batchPolicy(), { run: 'run-2' })];
    const reports = await Promise.all(runs.map(async (run) => await harness.finish(run)));
    expect(reports.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expectNothingLost(world);
  });

  test('notices a workflow when an event reaches it, and not when a query does', async () => {
    const { start } = upgradeOf();
    let told = 0;
    const toldAround: number[] = [];
    const { harness, handle } = await start({
      activated: () => {
        told += 1;
      },
      before: async (step) => {
        if (step !== 'excludeNext' || toldAround.length > 0) return;
        toldAround.push(told);
        await withOwnClient(async ({ workflow }) => await workflow.getHandle(handle.workflowId).query(statusQuery));
        toldAround.push(told);
      },
    });
    await harness.finish(handle);
    expect(toldAround[0]).toBeGreaterThan(0);
    expect(toldAround[1]).toBe(toldAround[0]);
  });

  test('does not pass between a cancellation and the first step that follows from it', async () => {
    const { world, start } = upgradeOf();
    let abortedAt: number | undefined;
    const restoredAt: number[] = [];
    const { handle } = await start({
      before: async (step) => {
        if (step === 'restoreNode') restoredAt.push(world.clock.now());
        if (step !== 'awaitConnectionsDrained' || abortedAt !== undefined) return;
        abortedAt = world.clock.now();
        await handle.executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    expect((await handle.result()).outcome).toBe('aborted');
    expect(restoredAt).toEqual([abortedAt, abortedAt]);
  });

  test('stops while there is no worker', async () => {
    const { world, start } = upgradeOf({ policy: { guard: { maxInFlight: 1 } } });
    const { clock } = world;
    let pausing: Promise<void> | undefined;
    const begun = Promise.withResolvers<void>();
    const { harness, handle } = await start({
      progress: (step) => {
        if (step !== 'awaitConnectionsDrained' || pausing !== undefined) return;
        pausing = harness.pauseWorker();
        begun.resolve();
      },
    });
    await begun.promise;
    await pausing;
    const before = clock.now();
    expect(clock.whyStill()).toBeDefined();
    await harness.restart();
    expect(clock.now()).toBe(before);
    expect((await harness.finish(handle)).outcome).toBe('completed');
  });

  test('does not wait for a terminated workflow, nor for what it waited for', async () => {
    const world = createScenario();
    addBatchPool(world);
    let terminated: Promise<unknown> | undefined;
    const harness = await openHarness(world, {
      before: async (step) => {
        if (step !== 'awaitConnectionsDrained') return;
        terminated ??= batch.terminate();
        await terminated;
      },
    });
    const batch = await harness.start(batchPolicy(), { run: 'run-2' });
    const web = await harness.start(scenarioPolicy());
    expect((await harness.finish(web)).outcome).toBe('completed');
    expect(terminated).toBeDefined();
  });
});

test('a test that times out says what waits for what', async () => {
  const { harness, handle } = await upgradeOf().start();
  const inVain = harness.until(handle, 'pigs fly', () => false);
  await harness.failPending();
  await expect(inVain).rejects.toThrow(
    /virtual time: .*\nthe test waits for: .*until 'pigs fly'[^]*pool-upgrade\S*: {"run":[^]*happened last/,
  );
});

describe('a harness that is stopped in the middle', () => {
  test('ends every promise, and leaves no workflow open', async () => {
    const { start } = upgradeOf();
    const isStuckTerminating = Promise.withResolvers<void>();
    const { harness, handle } = await start({
      before: async (step) => {
        if (step !== 'awaitConnectionsDrained') return;
        isStuckTerminating.resolve();
        await new Promise(() => undefined);
      },
    });
    const results = [handle.result(), harness.until(handle, 'pigs fly', () => false)];
    await isStuckTerminating.promise;
    await harness.stop();
    const ends = await Promise.allSettled([...results, handle.executeUpdate(abortUpdate, { args: [operator] })]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await openWorkflows(harness.taskQueue)).toEqual([]);
  });
});

async function openWorkflows(taskQueue: string): Promise<readonly string[]> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  return await withOwnClient(async (client) => {
    const open: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) open.push(workflowId);
    return open;
  });
}
