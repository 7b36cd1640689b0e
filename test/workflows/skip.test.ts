import { ApplicationFailure } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { type OperatorRequest, pauseUpdate, resumeUpdate, skipUpdate } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { onceBefore } from '../support/once-before.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type StartedUpgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const ann = { by: 'ann', reason: 'its batch job runs until tomorrow' };
const [first, last] = ['ip-10-0-0-1', 'ip-10-0-0-4'] as const;

const asked = (node: string, more: Partial<OperatorRequest> = {}): { args: [OperatorRequest] } => ({
  args: [{ ...ann, node, ...more }],
});

function nodeOf([input]: readonly unknown[]): string | undefined {
  return (input as { node?: { name: string } }).node?.name;
}

/** Runs an upgrade in which one node is skipped once, before this step; a step of a node counts only for that node. */
async function skipBefore(
  step: string,
  node: string,
  scene: UpgradeScene = {},
): Promise<StartedUpgrade & { report: RunReport }> {
  let skipped: Promise<unknown> | undefined;
  const started = await upgradeOf(scene).start({
    before: async (name, args) => {
      const of = nodeOf(args);
      if (name !== step || (of !== undefined && of !== node) || skipped !== undefined) return;
      skipped = started.handle.executeUpdate(skipUpdate, asked(node));
      await skipped;
    },
  });
  const report = await started.harness.finish(started.handle);
  await skipped;
  return { ...started, report };
}

/** The old pool has exactly this node, which serves; the new one has the others; nothing of the run is left. */
function expectKept(world: World, report: RunReport, node: string, size: number): void {
  expect(report.outcome).toBe('completed');
  expect(report.nodes.find((one) => one.node.name === node)).toMatchObject({ step: 'skipped', skipped: ann });
  expectNothingLost(world);
  expectNothingLeft(world, size);
  const left = world.nodes.filter(({ pool }) => pool === 'web');
  expect(left.map(({ name }) => name)).toEqual([node]);
  for (const { key, targets } of world.services.filter(({ type }) => type === 'LoadBalancer')) {
    const target = targets.find(({ instanceId }) => instanceId === left[0]?.instanceId);
    expect(target, `${node} is registered for ${key}`).toMatchObject({ listed: true, checked: true });
    expect(target?.state).not.toBe('draining');
  }
  expect(world.pools.map(({ name, desiredSize }) => [name, desiredSize])).toEqual([
    ['web', 1],
    ['web-new', size - 1],
  ]);
  expect(report.leftovers).toEqual([
    `web keeps ${node} (skipped by ann: ${ann.reason}). To replace ${node}: start another upgrade of web with another spec.target.poolName: no run uses web-new, which exists by then`,
  ]);
  expect(report.actions.map(({ action, of }) => [action, of])).toEqual([
    ['start', undefined],
    ['skip', node],
  ]);
}

describe('a skipped node stays in the old pool and serves, and the others are replaced,', () => {
  test.each(
    someOf(
      [
        ['when it is pending', 'createPool', last],
        ['when it is about to be excluded', 'excludeNext', first],
        ['when it is deregistering', 'awaitDeregistered', first],
        ['when its pods are being evicted', 'evictPods', first],
        ['when its pods have been replaced', 'awaitReplacements', first],
        ['when its endpoints are being removed', 'removeEndpoints', first],
      ],
      3,
    ),
  )('%s', async (_, step, node) => {
    const { world, report } = await skipBefore(step, node);
    expectKept(world, report, node, 4);
  });

  test.each(
    someOf(
      [
        ['before its pods are surged', 'surgePods', first],
        ['after its pods were surged', 'excludeNext', first],
        ['while it is in progress with surged pods', 'evictPods', first],
        ['while it is the last one', 'awaitConnectionsDrained', last],
      ],
      1,
    ),
  )('with pod surge: %s', async (_, step, node) => {
    const { world, report } = await skipBefore(step, node, { podSurge: { max: 0.25, mode: 'required' } });
    expectKept(world, report, node, 4);
  });

  variation('when it has just been excluded, and the run does not know that yet', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
      after: onceBefore('excludeNext', async () => await handle.executeUpdate(skipUpdate, asked(first))),
    });
    const report = await harness.finish(handle);
    expect(report.nodes[0]?.evidence.map(({ kind }) => kind)).toContain('restored');
    expect(world.log.some((line) => line.includes(`event ${first}: Excluded`))).toBe(true);
    expectKept(world, report, first, 4);
  });

  test('when it is stalled: the others continue', async () => {
    const { world, harness, handle } = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
      before: (step, args) => {
        if (step === 'evictPods' && nodeOf(args) === first) throw ApplicationFailure.nonRetryable('a volume is stuck');
      },
    });
    await harness.until(handle, 'it is stalled', ({ nodes }) => nodes.some(({ step }) => step === 'stalled'));
    await handle.executeUpdate(skipUpdate, asked(first));
    const { stalled } = await harness.until(handle, 'it goes on', ({ nodes }) =>
      nodes.some(({ step }) => step === 'replaced'),
    );
    expect(stalled).toBeUndefined();
    expectKept(world, await harness.finish(handle), first, 4);
  });

  test('when the run is paused: it is uncordoned at once, and the others wait', async () => {
    const { world, harness, handle } = await upgradeOf().start({
      before: onceBefore('cordonNodes', async () => await handle.executeUpdate(pauseUpdate, { args: [ann] })),
    });
    await harness.until(handle, 'it is to replace nodes', ({ phase }) => phase === 'replace');
    await handle.executeUpdate(skipUpdate, asked(last));
    await harness.until(handle, 'it is uncordoned', () =>
      world.nodes.some(({ name, cordoned }) => name === last && !cordoned),
    );
    expect(world.terminations.size).toBe(0);
    await handle.executeUpdate(resumeUpdate, { args: [ann] });
    const report = await harness.finish(handle);
    const actions = report.actions.filter(({ action }) => action === 'start' || action === 'skip');
    expectKept(world, { ...report, actions }, last, 4);
  });

  test.each(
    someOf(
      [
        ['when no node can be excluded', 'excludeNext', {}],
        ['when pods can not be surged', 'surgePods', { podSurge: { max: 0.5 } }],
      ],
      1,
    ),
  )('%s, and the run is stalled because of that: no resume is needed', async (_, broken, scene: UpgradeScene) => {
    let isBroken = true;
    const { world, harness, handle } = await upgradeOf(scene).start({
      before: (step) => {
        if (step === broken && isBroken) throw ApplicationFailure.nonRetryable('it is not possible with this node');
      },
    });
    await harness.until(handle, 'it is stalled', ({ stalled }) => stalled !== undefined);
    isBroken = false;
    await handle.executeUpdate(skipUpdate, asked(first));
    expectKept(world, await harness.finish(handle), first, 4);
  });

  variation('when new nodes come in waves: no more of them are added than are needed', async () => {
    const { world, report } = await skipBefore('createPool', last, { policy: { nodeSurge: { instances: 1 } } });
    expectKept(world, report, last, 4);
    expect(report.newNodes).toHaveLength(3);
    expect(report.nodes).toHaveLength(4);
  });
});

test('when all nodes are skipped, everything is as before, and there is no new pool', async () => {
  const { world, harness, handle } = await upgradeOf().start({
    before: onceBefore('cordonNodes', async () => {
      for (const { name } of world.nodes.filter(({ pool }) => pool === 'web'))
        await handle.executeUpdate(skipUpdate, asked(name));
    }),
  });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(report.leftovers.join()).toMatch(/: start another upgrade of web$/);
  expect(world.pools.map(({ name, desiredSize }) => [name, desiredSize])).toEqual([['web', 4]]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

describe('a skip is refused with the reason', () => {
  test.each<[string, string, OperatorRequest, RegExp]>(
    someOf(
      [
        ['in preflight', 'preflight', { ...ann, node: first }, /the run has not begun/],
        ['without a reason', 'createPool', { by: 'ann', reason: ' ', node: first }, /it needs a reason/],
        [
          'without a node that the run has',
          'createPool',
          { ...ann, node: 'ip-10-9-9-9' },
          /the run has no node ip-10-9-9-9/,
        ],
        ['once its instance is being terminated', 'terminateNode', { ...ann, node: first }, /i-1 is being terminated/],
        [
          'once the old pool is deleted',
          'deletePool',
          { ...ann, node: first },
          /every node has been replaced or skipped/,
        ],
      ],
      3,
    ),
  )('%s', async (_, step, request, reason) => {
    let refused: unknown;
    const { world, harness, handle } = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
      before: onceBefore(step, async () => {
        refused = await handle.executeUpdate(skipUpdate, { args: [request] }).catch((error: unknown) => error);
      }),
    });
    const report = await harness.finish(handle);
    expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((refused as Error).cause).toMatchObject({ message: expect.stringMatching(reason) as string });
    expect(report.actions).toHaveLength(1);
    expect(report.nodes.map((node) => node.step)).toEqual(Array(4).fill('replaced'));
    expectNothingLost(world);
  });

  test('when the node has been replaced, and when it was skipped before; the same request counts once', async () => {
    const refused: unknown[] = [];
    let seen = 0;
    const { world, harness, handle } = await upgradeOf({ policy: { guard: { maxInFlight: 1 } } }).start({
      before: async (step) => {
        if (step !== 'awaitDeregistered' || (seen += 1) !== 2) return;
        const skip = async (node: string, updateId?: string) =>
          await handle.executeUpdate(skipUpdate, { ...asked(node), ...(updateId === undefined ? {} : { updateId }) });
        await skip(last, 'once');
        await skip(last, 'once');
        for (const node of [last, first]) refused.push(await skip(node).catch((error: Error) => error.cause));
      },
    });
    const report = await harness.finish(handle);
    expect(refused.map((error) => (error as Error).message)).toEqual([
      `refused: ${last} was skipped already by ann: ${ann.reason}`,
      `refused: ${first} has been replaced, and its instance is terminated`,
    ]);
    expectKept(world, report, last, 4);
  });
});
