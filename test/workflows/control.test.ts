import { WorkflowExecutionAlreadyStartedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { type Activities } from '../../activities/activities.ts';
import { readPodTimes } from '../../core/status/checkpoint.ts';
import {
  abortUpdate,
  nodeReplacementId,
  nodeStalledSignal,
  pauseUpdate,
  resumeUpdate,
} from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { later } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

const operator = { by: 'ann', reason: 'because' };

/** Every step before the old pool goes, so that every phase is met. */
const stepsInOrder = [
  'acquireLock',
  'suspendScaling',
  'createPool',
  'awaitNodesReady',
  'cordonNodes',
  'excludeNext',
  'awaitDeregistered',
  'awaitConnectionsDrained',
  'evictPods',
  'awaitReplacements',
  'removeEndpoints',
  'awaitForwardedConnections',
  'terminateNode',
] as const satisfies readonly (keyof Activities)[];

/** Calls `act` once, when that step begins for the `nth` time (counted from 1). */
function onceBefore(step: string, nth: number, act: () => Promise<unknown>) {
  let seen = 0;
  return async (name: string) => {
    if (name !== step) return;
    seen += 1;
    if (seen === nth) await act();
  };
}

describe('abort', () => {
  test.each(stepsInOrder)('at %s puts everything back and loses nothing', async (step) => {
    const world = createScenario();
    let abort = async (): Promise<unknown> => undefined;
    const harness = await openHarness(world, { before: onceBefore(step, 1, async () => await abort()) });
    const handle = await harness.start(scenarioPolicy());
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.actions.map((action) => action.action)).toEqual(['start', 'abort']);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    const replaced = report.nodes.filter((node) => node.step === 'replaced' && node.node.name < 'ip-10-0-0-5').length;
    const kept = world.instances.filter((one) => one.state === 'running' && one.pool === 'web-new').length;
    expect(kept).toBe(replaced);
    expect(world.pools.some((pool) => pool.name === 'web-new')).toBe(replaced > 0);
  });

  test('in preflight takes the time that it took, and leaves nothing', async () => {
    const world = createScenario();
    let abort = async (): Promise<unknown> => undefined;
    const before = async (step: string) => {
      if (step !== 'preflight') return;
      await abort();
      throw new Error('the cloud is away');
    };
    const harness = await openHarness(world, { before });
    const handle = await harness.start(scenarioPolicy());
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.durationMs).toBeGreaterThan(0);
    expect(report.finishedAt).toBe(report.startedAt + report.durationMs);
  });

  test('after a preflight that had to wait counts that wait too', async () => {
    const world = createScenario();
    const begunAt = world.clock.now();
    world.faults.apiDown = true;
    later(world, 4 * 60_000, () => {
      world.faults.apiDown = false;
    });
    let abort = async (): Promise<unknown> => undefined;
    const harness = await openHarness(world, { before: onceBefore('createPool', 1, async () => await abort()) });
    const handle = await harness.start(scenarioPolicy());
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.startedAt).toBe(begunAt);
    expect(report.durationMs).toBeGreaterThanOrEqual(4 * 60_000);
    expect(report.finishedAt).toBe(world.clock.now());
  });

  test('after two nodes keeps two new nodes', async () => {
    const world = createScenario();
    let abort = async (): Promise<unknown> => undefined;
    const harness = await openHarness(world, { before: onceBefore('evictPods', 3, async () => await abort()) });
    const handle = await harness.start(scenarioPolicy());
    abort = async () => await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    const kept = world.instances.filter((one) => one.state === 'running' && one.pool === 'web-new').length;
    expect(kept).toBeGreaterThanOrEqual(1);
    expect(world.pools.map((pool) => pool.name).toSorted()).toEqual(['web', 'web-new']);
  });

  test('lets pods use their grace period, longer than the eviction deadline, and asks nobody', async () => {
    const world = createScenario({ delays: { podGone: 28_000 } });
    let aborting: Promise<unknown> | undefined;
    const harness = await openHarness(world, {
      progress: (step, { checkpoint }) => {
        const endpointsRemoved = Object.keys(readPodTimes(checkpoint).removedAt);
        if (step !== 'evictPods' || endpointsRemoved.length === 0) return;
        aborting ??= handle.executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    const { waits } = scenarioPolicy();
    const hasty = { ...waits, deadlines: { ...waits.deadlines, evictionMs: 15_000 } };
    const handle = await harness.start(scenarioPolicy({ waits: hasty }));
    const report = await harness.finish(handle);
    await aborting;
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(['evicting', 'restoring'] as const)(
    'goes on when a node that parked while %s ends by itself',
    async (parkedIn) => {
      const world = createScenario();
      const late: unknown[] = [];
      const harness = await openHarness(world, {
        before: async (step, [input]) => {
          if (step === 'evictPods' && late.length === 0) {
            await handle.executeUpdate(abortUpdate, { args: [operator] });
          }
          if (step !== 'restoreNode') return;
          const { node } = input as { node: { name: string } };
          const problem = { code: 'DeadlineExceeded', message: `pods to leave ${node.name}` } as const;
          const workflowId = nodeReplacementId(handle.workflowId.split('/')[1] ?? '', 'web', 'run-1', node.name);
          const parked = { node: node.name, workflowId, step: parkedIn, problem, resumes: 99 };
          late.push(await handle.signal(nodeStalledSignal, parked));
        },
      });
      const handle = await harness.start(scenarioPolicy());
      const report = await handle.result();
      expect(late.length).toBeGreaterThan(0);
      expect(report.outcome).toBe('aborted');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test.each(['awaitNodesReady', 'evictPods'] as const)(
    'at the very moment when %s has run into its deadline calls nobody',
    async (step) => {
      const world = createScenario();
      if (step === 'awaitNodesReady') world.faults.neverReady = 1;
      let aborting: Promise<unknown> | undefined;
      const harness = await openHarness(world, {
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
      const handle = await harness.start(scenarioPolicy());
      const report = await harness.finish(handle);
      expect(aborting).toBeDefined();
      expect(report.outcome).toBe('aborted');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  // The server may refuse a cancellation that comes in this moment: in about one of five.
  test.each([1, 2, 3, 4, 5, 6])('as the workflow of a node starts reaches it: no machine ends (%i)', async () => {
    const world = createScenario();
    let aborting: Promise<unknown> | undefined;
    const harness = await openHarness(world, {
      activated: (workflowId, { children }) => {
        if (children.some(({ started }) => !started))
          aborting ??= harness.workflow(workflowId).executeUpdate(abortUpdate, { args: [operator] });
      },
    });
    const report = await harness.finish(await harness.start(scenarioPolicy()));
    await aborting;
    expect(report.outcome).toBe('aborted');
    const old = world.nodes.filter(({ pool }) => pool === 'web').map(({ instanceId }) => instanceId);
    expect(old).toHaveLength(4);
    expect(old.filter((id) => world.terminations.has(id))).toEqual([]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('a cancelled workflow puts everything back like an abort', async () => {
    const world = createScenario();
    let cancel = async (): Promise<unknown> => undefined;
    const harness = await openHarness(world, {
      before: onceBefore('awaitConnectionsDrained', 1, async () => await cancel()),
    });
    const handle = await harness.start(scenarioPolicy());
    cancel = async () => await handle.cancel();
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('is refused once every node has been replaced', async () => {
    const world = createScenario({ nodes: 4 });
    let abort = async (): Promise<unknown> => undefined;
    let refusal: unknown;
    const harness = await openHarness(world, { before: onceBefore('deletePool', 1, async () => await abort()) });
    const handle = await harness.start(scenarioPolicy());
    abort = async () => {
      refusal = await handle.executeUpdate(abortUpdate, { args: [operator] }).catch((error: unknown) => error);
    };
    expect((await handle.result()).outcome).toBe('completed');
    expect(refusal).toBeInstanceOf(WorkflowUpdateFailedError);
    expectNothingLost(world);
  });
});

describe('pause', () => {
  test.each(['createPool', 'cordonNodes', 'excludeNext', 'awaitConnectionsDrained', 'terminateNode'] as const)(
    'at %s lets nodes on their way finish, grants none, and goes on after resume',
    async (step) => {
      const world = createScenario();
      let pause = async (): Promise<unknown> => undefined;
      const harness = await openHarness(world, { before: onceBefore(step, 1, async () => await pause()) });
      const handle = await harness.start(scenarioPolicy());
      // It is answered only once no step can let a node go any more: that step must not wait for the answer.
      pause = async () => await handle.startUpdate(pauseUpdate, { args: [operator], waitForStage: 'ACCEPTED' });
      const quiet = await harness.until(
        handle,
        'paused in replace with nobody on the way',
        (status) =>
          status.paused !== undefined &&
          status.phase === 'replace' &&
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
  test('that make no sense are rejected and change nothing', async () => {
    const world = createScenario();
    const allSent = Promise.withResolvers<void>();
    const harness = await openHarness(world, {
      // An aborted run could end before the last of them.
      before: async (step) => {
        if (step === 'cleanUp') await allSent.promise;
      },
    });
    const handle = await harness.start(scenarioPolicy());
    const refused = async (what: Promise<unknown>) =>
      expect(await what.catch((error: unknown) => error)).toBeInstanceOf(WorkflowUpdateFailedError);
    await refused(handle.executeUpdate(resumeUpdate, { args: [operator] }));
    await handle.executeUpdate(pauseUpdate, { args: [operator] });
    await refused(handle.executeUpdate(pauseUpdate, { args: [operator] }));
    await refused(handle.executeUpdate(pauseUpdate, { args: [{} as never] }));
    // A run that is aborted before it holds anything has nothing to let go, and ends at once.
    await harness.until(handle, 'it waits before the first node', (status) => status.phase === 'replace');
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await refused(handle.executeUpdate(abortUpdate, { args: [operator] }));
    await refused(handle.executeUpdate(pauseUpdate, { args: [operator] }));
    allSent.resolve();
    const report = await handle.result();
    expect(report.actions.map((action) => action.action)).toEqual(['start', 'pause', 'abort']);
    expectNothingLeft(world, 4);
  });

  test('that arrive before the first step of the workflow count', async () => {
    const world = createScenario();
    const harness = await openHarness(world, {});
    await harness.pauseWorker();
    const handle = await harness.start(scenarioPolicy());
    const early = handle.executeUpdate(pauseUpdate, { args: [operator] });
    await harness.restart();
    expect(await early).toMatchObject({ run: 'run-1' });
    const paused = await harness.until(
      handle,
      'it waits before the first node',
      (status) => status.phase === 'replace',
    );
    expect(paused.paused?.by).toBe('ann');
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await handle.result()).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('a second upgrade of the same pool is refused by the server', async () => {
    const world = createScenario();
    const harness = await openHarness(world);
    const handle = await harness.start(scenarioPolicy());
    const second = await harness.start(scenarioPolicy()).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(WorkflowExecutionAlreadyStartedError);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    await handle.result();
  });
});
