import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  abortUpdate,
  nodeReplacementId,
  type OperatorRequest,
  pauseUpdate,
  resumeUpdate,
  workflowTypes,
} from '../../workflows/messages.ts';
import { nodeStalledSignal } from '../../workflows/node-messages.ts';
import type { World } from '../simulator/world.ts';
import { variation } from '../support/extent.ts';
import { withOwnClient } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const resume: { args: [OperatorRequest] } = { args: [{ by: 'ann', reason: 'fixed' }] };
const stalled = { code: 'DeadlineExceeded', message: 'pods do not leave' } as const;
const first = 'ip-10-0-0-1';

/** How many pods of `api` may be unavailable at a time. */
function cleanUp(world: World, pods: number): void {
  for (const budget of world.budgets) if (budget.name === 'api') budget.maxUnavailable = pods;
}

/** A workflow without a worker has the ID that the run needs for its first node. */
async function startInTheWay(client: Client, run: string) {
  const [, cluster = ''] = run.split('/');
  return await client.workflow.start(workflowTypes.nodeReplacement, {
    workflowId: nodeReplacementId(cluster, 'web', 'run-1', first),
    taskQueue: 'nobody-works-here',
  });
}

function nodeOf([input]: readonly unknown[]): string {
  return (input as { node: { name: string } }).node.name;
}

describe('one resume', () => {
  test('is enough for two nodes that stall at the same time, although the signal of one has not arrived yet', async () => {
    const { world, start } = upgradeOf();
    let resumed = false;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'evictPods' && !resumed) cleanUp(world, 0);
      },
      after: async (step, args) => {
        if (step !== 'evictPods' || nodeOf(args) === first || resumed) return;
        await harness.until(handle, 'the other asks', (status) => status.stalled !== undefined);
        resumed = true;
        cleanUp(world, 1);
        await handle.executeUpdate(resumeUpdate, resume);
      },
    });
    await harness.until(handle, 'resumed', () => resumed);
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'resume']);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation('is enough for a step of the run that fails just after it', async () => {
    const { world, start } = upgradeOf();
    world.faults.neverReady = 1;
    let resumed = false;
    const { harness, handle } = await start({
      after: async (step) => {
        if (step !== 'awaitNodesReady' || resumed) return;
        resumed = true;
        for (const node of world.nodes) node.ready = true;
        world.changed();
        await handle.executeUpdate(pauseUpdate, resume);
        await handle.executeUpdate(resumeUpdate, resume);
      },
    });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expect(resumed).toBe(true);
    expectNothingLeft(world, 4);
  });

  variation('is enough for a lock that was lost before it, and observed as lost after it', async () => {
    const { world, start } = upgradeOf();
    let begun = 0;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step !== 'evictPods') return;
        begun += 1;
        const [name = ''] = [...world.leases.keys()].filter((key) => key.startsWith('nodeferry-'));
        if (begun === 1) {
          world.leases.delete(name);
          throw ApplicationFailure.nonRetryable('somebody was at work here');
        }
        if (begun !== 2) return;
        await harness.until(handle, 'the first asks', (status) => status.stalled !== undefined);
        await handle.executeUpdate(resumeUpdate, resume);
      },
    });
    await harness.until(handle, 'resumed', ({ actions }) => actions.length === 2);
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation('does not count for a lock that is lost after it', async () => {
    const { world, start } = upgradeOf();
    let stolen = false;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'createPool') {
          await handle.executeUpdate(pauseUpdate, resume);
          await handle.executeUpdate(resumeUpdate, resume);
        }
        if (step !== 'awaitConnectionsDrained' || stolen) return;
        stolen = true;
        for (const name of world.leases.keys()) world.leases.delete(name);
      },
    });
    const asking = await harness.until(handle, 'asks', (status) => status.stalled !== undefined);
    expect(asking.stalled?.code).toBe('LockLost');
    await handle.executeUpdate(resumeUpdate, resume);
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('is enough for a node whose signal arrives after it', async () => {
    const { world, start } = upgradeOf();
    let crossed = false;
    const { harness, handle } = await start({
      before: async (step, args) => {
        if (step !== 'awaitConnectionsDrained' || crossed) return;
        crossed = true;
        await handle.executeUpdate(pauseUpdate, resume);
        await handle.executeUpdate(resumeUpdate, resume);
        const node = nodeOf(args);
        const stalledNode = {
          node,
          workflowId: nodeReplacementId(handle.workflowId.split('/')[1] ?? '', 'web', 'run-1', node),
          step: 'draining-connections',
          problem: stalled,
          resumes: 0,
        } as const;
        await handle.signal(nodeStalledSignal, stalledNode);
      },
    });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expect(crossed).toBe(true);
    expectNothingLeft(world, 4);
  });

  variation('is enough for a node that can’t be restored in a run that was cancelled', async () => {
    const { world, start } = upgradeOf();
    let cancelled = false;
    let isFixed = false;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'awaitConnectionsDrained' && !cancelled) {
          cancelled = true;
          await handle.cancel();
        }
        if (step === 'restoreNode' && !isFixed) throw ApplicationFailure.nonRetryable('a bug');
      },
    });
    await harness.until(handle, 'asks', (status) => status.stalled !== undefined);
    isFixed = true;
    await handle.executeUpdate(resumeUpdate, resume);
    expect((await harness.finish(handle)).outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a node', () => {
  variation('that stalls while the run still starts its workflow stalls the run', async () => {
    const { world, start } = upgradeOf();
    let called = false;
    const { harness, handle } = await start({
      activated: async (workflowId, { children }) => {
        const [child] = children;
        if (child === undefined || child.started || called) return;
        called = true;
        const node = child.workflowId.split('/').at(-1) ?? '';
        const call = { step: 'deregistering', problem: stalled, resumes: 0 } as const;
        const stalledNode = { node, workflowId: child.workflowId, ...call };
        await harness.workflow(workflowId).signal(nodeStalledSignal, stalledNode);
      },
    });
    const asking = await harness.until(handle, 'asks', (status) => status.stalled !== undefined);
    expect(asking.stalled).toEqual(stalled);
    await handle.executeUpdate(resumeUpdate, resume);
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLeft(world, 4);
  });

  test('whose workflow can’t start stalls the run, and is replaced like the others after a resume', async () => {
    const { world, start } = upgradeOf();
    await withOwnClient(async (client) => {
      const { harness, handle } = await start();
      const inTheWay = await startInTheWay(client, handle.workflowId);
      const asking = await harness.until(handle, 'asks', (status) => status.stalled !== undefined);
      expect(asking.stalled?.message).toBe(
        `the replacement of ${first} can't start: workflow ${inTheWay.workflowId} runs already`,
      );
      expect(asking.phase).toBe('replace');
      await inTheWay.terminate();
      await handle.executeUpdate(resumeUpdate, resume);
      expect((await harness.finish(handle)).outcome).toBe('completed');
    });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('whose workflow can’t start does not keep a run from being aborted', async () => {
    const { world, start } = upgradeOf();
    await withOwnClient(async (client) => {
      const { harness, handle } = await start();
      const inTheWay = await startInTheWay(client, handle.workflowId);
      await harness.until(handle, 'asks', (status) => status.stalled !== undefined);
      await handle.executeUpdate(abortUpdate, resume);
      expect((await harness.finish(handle)).outcome).toBe('aborted');
      await inTheWay.terminate();
    });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
