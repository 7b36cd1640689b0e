import { ApplicationFailure } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { type Activities } from '../../activities/activities.ts';
import { readPodTimes } from '../../core/status/checkpoint.ts';
import { abortUpdate, nodeReplacementId, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { nodeStalledSignal } from '../../workflows/node-messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { later } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { onceBefore } from '../support/once-before.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { sceneWith, stepsOfUpgrade } from '../support/steps-of-upgrade.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** What a run does between its steps. */
const between = ['suspendScaling', 'findLateJoiners'] as const satisfies readonly (keyof Activities)[];

describe('abort', () => {
  test.each(someOf([...stepsOfUpgrade, ...between], 5))(
    'at %s rolls everything back and loses nothing',
    async (step) => {
      const { world, start } = upgradeOf(sceneWith(step));
      const started = Promise.withResolvers<void>();
      const { handle } = await start({
        before: onceBefore(step, async () => {
          await started.promise;
          await handle.executeUpdate(abortUpdate, { args: [operator] });
        }),
      });
      started.resolve();
      const report = await handle.result();
      expect(report.outcome).toBe('aborted');
      expect(report.actions.map((action) => action.action)).toEqual(['start', 'abort']);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      const replaced = report.nodes.filter((node) => node.step === 'replaced' && node.node.name < 'ip-10-0-0-5').length;
      const kept = world.instances.filter((one) => one.state === 'running' && one.pool === 'web-new').length;
      expect(kept).toBe(replaced);
      expect(world.pools.some((pool) => pool.name === 'web-new')).toBe(replaced > 0);
    },
  );

  test('while the worker that acquires the lock dies leaves no lock', async () => {
    const { world, start } = upgradeOf();
    const { handle } = await start({
      after: async (step) => {
        if (step !== 'acquireLock') return;
        await handle.executeUpdate(abortUpdate, { args: [operator] });
        throw ApplicationFailure.retryable('the worker died before it could answer');
      },
    });
    const report = await handle.result();
    expect(report).toMatchObject({ outcome: 'aborted', leftovers: [] });
    expect([...world.leases.keys()]).toEqual([]);
    expectNothingLeft(world, 4);
  });

  test('in preflight reports the time that it took, and leaves nothing', async () => {
    const { start } = upgradeOf();
    let abort = async (): Promise<unknown> => undefined;
    const before = async (step: string) => {
      if (step !== 'preflight') return;
      await abort();
      throw new Error('the cloud is away');
    };
    const { handle } = await start({ before });
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.durationMs).toBeGreaterThan(0);
    expect(report.finishedAt).toBe(report.startedAt + report.durationMs);
  });

  test('after a preflight that had to wait reports that wait too', async () => {
    const { world, start } = upgradeOf();
    const begunAt = world.clock.now();
    world.faults.apiDown = true;
    later(world, 4 * 60_000, () => {
      world.faults.apiDown = false;
    });
    let abort = async (): Promise<unknown> => undefined;
    const { handle } = await start({ before: onceBefore('createPool', async () => await abort()) });
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.startedAt).toBe(begunAt);
    expect(report.durationMs).toBeGreaterThanOrEqual(4 * 60_000);
    expect(report.finishedAt).toBe(world.clock.now());
  });

  test('after two nodes keeps two new nodes', async () => {
    const { world, start } = upgradeOf();
    let abort = async (): Promise<unknown> => undefined;
    const { handle } = await start({ before: onceBefore('evictPods', async () => await abort(), 3) });
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    const kept = world.instances.filter((one) => one.state === 'running' && one.pool === 'web-new').length;
    expect(kept).toBeGreaterThanOrEqual(1);
    expect(world.pools.map((pool) => pool.name).toSorted()).toEqual(['web', 'web-new']);
  });

  variation('lets pods use their grace period, longer than the eviction deadline, and needs no operator', async () => {
    const { waits } = scenarioPolicy();
    const hasty = { ...waits, deadlines: { ...waits.deadlines, evictionMs: 15_000 } };
    const { world, start } = upgradeOf({ delays: { podGone: 28_000 }, policy: { waits: hasty } });
    let aborting: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      progress: (step, { checkpoint }) => {
        const endpointsRemoved = Object.keys(readPodTimes(checkpoint).removedAt);
        if (step !== 'evictPods' || endpointsRemoved.length === 0) return;
        aborting ??= handle.executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    const report = await harness.finish(handle);
    await aborting;
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(someOf(['evicting', 'restoring'], 1))(
    'continues when a node that stalled while %s ends by itself',
    async (stalledIn) => {
      const { world, start } = upgradeOf();
      const late: unknown[] = [];
      const { handle } = await start({
        before: async (step, [input]) => {
          if (step === 'evictPods' && late.length === 0) {
            await handle.executeUpdate(abortUpdate, { args: [operator] });
          }
          if (step !== 'restoreNode') return;
          const { node } = input as { node: { name: string } };
          const problem = { code: 'DeadlineExceeded', message: `pods to leave ${node.name}` } as const;
          const workflowId = nodeReplacementId(handle.workflowId.split('/')[1] ?? '', 'web', 'run-1', node.name);
          const stalledNode = { node: node.name, workflowId, step: stalledIn, problem, resumes: 99 };
          late.push(await handle.signal(nodeStalledSignal, stalledNode));
        },
      });
      const report = await handle.result();
      expect(late.length).toBeGreaterThan(0);
      expect(report.outcome).toBe('aborted');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test.each(someOf(['awaitNodesReady', 'evictPods'], 1))(
    'at the very moment when %s has passed its deadline stalls nothing',
    async (step) => {
      const { world, start } = upgradeOf();
      if (step === 'awaitNodesReady') world.faults.neverReady = 1;
      let aborting: Promise<unknown> | undefined;
      const { harness, handle } = await start({
        before: (begun) => {
          if (begun === 'evictPods' && step === 'evictPods' && aborting === undefined)
            for (const budget of world.budgets) if (budget.name === 'api') budget.maxUnavailable = 0;
        },
        after: async (ended) => {
          if (ended !== step || aborting !== undefined) return;
          for (const budget of world.budgets) budget.maxUnavailable = 1;
          aborting = handle.executeUpdate(abortUpdate, { args: [operator] });
          await aborting;
        },
      });
      const report = await harness.finish(handle);
      expect(aborting).toBeDefined();
      expect(report.outcome).toBe('aborted');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  // The server may refuse a cancellation that comes at this moment: about one of five.
  test.each(someOf([1, 2, 3, 4, 5, 6], 1))(
    'while the workflow of a node starts reaches it: no instance terminates (%i)',
    async () => {
      const { world, start } = upgradeOf();
      let aborting: Promise<unknown> | undefined;
      const { harness, handle } = await start({
        activated: (workflowId, { children }) => {
          if (children.some(({ started }) => !started))
            aborting ??= harness.workflow(workflowId).executeUpdate(abortUpdate, { args: [operator] });
        },
      });
      const report = await harness.finish(handle);
      await aborting;
      expect(report.outcome).toBe('aborted');
      const old = world.nodes.filter(({ pool }) => pool === 'web').map(({ instanceId }) => instanceId);
      expect(old).toHaveLength(4);
      expect(old.filter((id) => world.terminations.has(id))).toEqual([]);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test('a cancelled workflow rolls everything back like an abort', async () => {
    const { world, start } = upgradeOf();
    let cancel = async (): Promise<unknown> => undefined;
    const { handle } = await start({
      before: onceBefore('awaitConnectionsDrained', async () => await cancel()),
    });
    cancel = async () => await handle.cancel();
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation('is refused once every node has been replaced', async () => {
    const { world, start } = upgradeOf({ nodes: 4 });
    let abort = async (): Promise<unknown> => undefined;
    let refusal: unknown;
    const { handle } = await start({ before: onceBefore('deletePool', async () => await abort()) });
    abort = async () => {
      refusal = await handle.executeUpdate(abortUpdate, { args: [operator] }).catch((error: unknown) => error);
    };
    expect((await handle.result()).outcome).toBe('completed');
    expect(refusal).toBeInstanceOf(WorkflowUpdateFailedError);
    expectNothingLost(world);
  });
});

describe('pause', () => {
  test.each(
    someOf(
      [
        ['createPool', 'cordon'],
        ['cordonNodes', 'replace'],
        ['excludeNext', 'replace'],
        ['awaitConnectionsDrained', 'replace'],
        ['terminateNode', 'replace'],
      ],
      2,
    ),
  )(
    'at %s lets nodes in progress finish, excludes no other, and continues after resume from phase %s',
    async (step, phase) => {
      const { world, start } = upgradeOf();
      let pause = async (): Promise<unknown> => undefined;
      const { harness, handle } = await start({
        before: onceBefore(step, async () => await pause()),
      });
      // It is answered only once no step can exclude a node any more: that step must not wait for the answer.
      pause = async () => await handle.startUpdate(pauseUpdate, { args: [operator], waitForStage: 'ACCEPTED' });
      const quiet = await harness.until(
        handle,
        `paused in ${phase} with no node in progress`,
        (status) =>
          status.paused !== undefined &&
          status.phase === phase &&
          status.nodes.every((node) => node.step === 'pending' || node.step === 'replaced'),
      );
      expect(quiet.paused?.by).toBe('ann');
      const replaced = quiet.nodes.filter((node) => node.step === 'replaced').length;
      expect(replaced).toBeLessThan(4);
      await handle.executeUpdate(resumeUpdate, { args: [operator] });
      const report = await handle.result();
      expect(report.outcome).toBe('completed');
      expect(report.actions.map((action) => action.action)).toEqual(['start', 'pause', 'resume']);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});

describe('messages', () => {
  test('that do not apply are rejected and change nothing', async () => {
    const { world, start } = upgradeOf();
    const allSent = Promise.withResolvers<void>();
    const { harness, handle } = await start({
      // An aborted run could end before the last of them.
      before: async (step) => {
        if (step === 'cleanUp') await allSent.promise;
      },
    });
    const refused = async (what: Promise<unknown>) =>
      expect(await what.catch((error: unknown) => error)).toBeInstanceOf(WorkflowUpdateFailedError);
    await refused(handle.executeUpdate(resumeUpdate, { args: [operator] }));
    // A run that is aborted before it has changed anything has nothing to clean up, and ends at once.
    await harness.until(handle, 'it is to replace nodes', (status) => status.phase === 'replace');
    await handle.executeUpdate(pauseUpdate, { args: [operator] });
    await refused(handle.executeUpdate(pauseUpdate, { args: [operator] }));
    await refused(handle.executeUpdate(pauseUpdate, { args: [{} as never] }));
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await refused(handle.executeUpdate(abortUpdate, { args: [operator] }));
    await refused(handle.executeUpdate(pauseUpdate, { args: [operator] }));
    allSent.resolve();
    const report = await handle.result();
    expect(report.actions.map((action) => action.action)).toEqual(['start', 'pause', 'abort']);
    expectNothingLeft(world, 4);
  });

  variation('that arrive before the first step of the workflow take effect', async () => {
    const world = createScenario();
    const harness = await openHarness(world, {});
    await harness.pauseWorker();
    const handle = await harness.start(scenarioPolicy());
    const early = handle.executeUpdate(pauseUpdate, { args: [operator] });
    await harness.restart();
    expect(await early).toMatchObject({ run: 'run-1' });
    const paused = await harness.until(handle, 'it has a plan', ({ nodes }) => nodes.length > 0);
    expect(paused).toMatchObject({ phase: 'preflight', paused: operator });
    expect(world.leases.size).toBe(0);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await handle.result()).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('a second upgrade of the same pool is refused by the server', async () => {
    const { harness, handle } = await upgradeOf().start();
    const second = await harness.start(scenarioPolicy()).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(WorkflowExecutionAlreadyStartedError);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await handle.result();
  });
});
