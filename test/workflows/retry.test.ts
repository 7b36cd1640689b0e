import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { abortUpdate, resumeUpdate, retryUpdate } from '../../workflows/messages.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const ann = { by: 'ann', reason: 'the budget allows it now' };
const [first, second] = ['ip-10-0-0-1', 'ip-10-0-0-2'] as const;

/** Steps that fail on these nodes until they are taken off the list. `tried` counts the attempts on each. */
function failing(step: string, broken: Set<string>) {
  const tried: Record<string, number> = {};
  const before = (name: string, [input]: readonly unknown[]) => {
    const { node } = input as { node?: { name: string } };
    if (name !== step || node === undefined) return;
    tried[node.name] = (tried[node.name] ?? 0) + 1;
    if (broken.has(node.name)) throw ApplicationFailure.nonRetryable('a volume is stuck');
  };
  return { before, tried };
}

describe('a retry', () => {
  test('retries the node that it names alone; the other stays stalled until it is retried too', async () => {
    const broken = new Set<string>([first, second]);
    const { before, tried } = failing('evictPods', broken);
    const { world, harness, handle } = await upgradeOf().start({ before });
    const stalledNodes = (nodes: readonly { node: { name: string }; step: string }[]) =>
      nodes.flatMap(({ node, step }) => (step === 'stalled' ? [node.name] : []));
    await harness.until(handle, 'both are stalled', ({ nodes }) => stalledNodes(nodes).length === 2);
    broken.clear();
    await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: first }] });
    const then = await harness.until(handle, 'the first is replaced', ({ nodes }) =>
      nodes.some(({ node, step }) => node.name === first && step === 'replaced'),
    );
    expect(stalledNodes(then.nodes)).toEqual([second]);
    expect([tried[first], tried[second]]).toEqual([2, 1]);
    await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: second }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.actions.map(({ action, of }) => [action, of])).toEqual([
      ['start', undefined],
      ['retry', first],
      ['retry', second],
    ]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each([
    ['that is not stalled', first, /ip-10-0-0-1 is not stalled/],
    ['that the run does not have', 'ip-10-9-9-9', /the run has no node ip-10-9-9-9/],
  ])('of a node %s is refused with the reason', async (_, node, reason) => {
    let refused: unknown;
    const { harness, handle } = await upgradeOf().start({
      before: async (step) => {
        if (step !== 'awaitDeregistered' || refused !== undefined) return;
        refused = await handle
          .executeUpdate(retryUpdate, { args: [{ ...ann, node }] })
          .catch((error: unknown) => error);
      },
    });
    expect((await harness.finish(handle)).actions).toHaveLength(1);
    expect((refused as Error).cause).toMatchObject({ message: expect.stringMatching(reason) as string });
  });

  variation('with the same ID counts once', async () => {
    const broken = new Set<string>([first]);
    const { before, tried } = failing('evictPods', broken);
    const { harness, handle } = await upgradeOf().start({ before });
    await harness.until(handle, 'it is stalled', ({ stalled }) => stalled !== undefined);
    const request = { updateId: 'once', args: [{ ...ann, node: first }] as [typeof ann & { node: string }] };
    await handle.executeUpdate(retryUpdate, request);
    await handle.executeUpdate(retryUpdate, request);
    await harness.until(handle, 'it is stalled again', ({ stalled }) => stalled !== undefined && tried[first] === 2);
    broken.clear();
    await handle.executeUpdate(resumeUpdate, { args: [ann] });
    const report = await harness.finish(handle);
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'retry', 'resume']);
    expect(tried[first]).toBe(3);
  });

  variation('of a node that can not be restored is taken while the run rolls back', async () => {
    const broken = new Set<string>([first]);
    const { before } = failing('restoreNode', broken);
    let aborted: Promise<unknown> | undefined;
    const { world, harness, handle } = await upgradeOf().start({
      before: (step, args) => {
        if (step === 'awaitConnectionsDrained') aborted ??= handle.executeUpdate(abortUpdate, { args: [ann] });
        before(step, args);
      },
    });
    await harness.until(handle, 'it can not be restored', ({ phase, nodes }) => {
      return phase === 'rolling-back' && nodes.some(({ step }) => step === 'stalled');
    });
    await aborted;
    broken.clear();
    await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: first }] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'abort', 'retry']);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('with spec.rollout.maxFailures', () => {
  const allowing = (maxFailures: number) => ({ guard: { maxInFlight: 4 }, rollout: { maxFailures } });

  test.each(
    someOf(
      [
        ['at once', {}],
        ['in waves', { policy: { nodeSurge: { instances: 1 } } }],
        ['in waves, with pod surge', { policy: { nodeSurge: { instances: 1 } }, podSurge: { max: 0.5 } }],
      ],
      1,
    ),
  )(
    'the others are replaced while one node is stalled, and the run waits for that one; new nodes come %s',
    async (_, scene: UpgradeScene) => {
      const broken = new Set<string>([first]);
      const { before } = failing('evictPods', broken);
      const policy = { ...scene.policy, ...allowing(1) };
      const { world, harness, handle } = await upgradeOf({ ...scene, policy }).start({ before });
      const then = await harness.until(handle, 'the others are replaced', ({ nodes }) => {
        return nodes.filter(({ step }) => step === 'replaced').length === 3;
      });
      expect(then.paused).toBeUndefined();
      expect(then.stalled?.message).toContain('a volume is stuck');
      broken.clear();
      await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: first }] });
      expect((await harness.finish(handle)).outcome).toBe('completed');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );

  test('one more stalled node pauses the run; it continues when one of them is retried', async () => {
    const broken = new Set<string>([first, second]);
    const { before } = failing('evictPods', broken);
    const { world, harness, handle } = await upgradeOf({ nodes: 6, policy: allowing(1) }).start({ before });
    const { paused } = await harness.until(handle, 'it is paused', (status) => status.paused !== undefined);
    expect(paused).toMatchObject({ by: 'nodeferry', endsByItself: true });
    expect(paused?.reason).toMatch(
      /^2 nodes stalled \(ip-10-0-0-\d, ip-10-0-0-\d\), and spec.rollout.maxFailures is 1/,
    );
    broken.clear();
    await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: first }] });
    const then = await harness.until(handle, 'all but one are replaced', ({ nodes }) => {
      return nodes.filter(({ step }) => step === 'replaced').length === 5;
    });
    expect(then.paused).toBeUndefined();
    await handle.executeUpdate(retryUpdate, { args: [{ ...ann, node: second }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 6);
  });
});
