/** Messages that arrive at the same time, too late, or twice: each is answered, and the run ends in a defined state. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import {
  abortUpdate,
  approveUpdate,
  overrideWindowUpdate,
  pauseUpdate,
  rejectUpdate,
  resumeUpdate,
  retryUpdate,
  setConcurrencyUpdate,
  skipUpdate,
} from '../../workflows/messages.ts';
import { someOf } from '../support/extent.ts';
import { onceBefore } from '../support/once-before.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const ann = { by: 'ann', reason: 'first' };
const bob = { by: 'bob', reason: 'second' };

type Answer = 'taken' | 'refused';

/** How each of them was answered. */
async function answers(...sent: readonly Promise<unknown>[]): Promise<readonly Answer[]> {
  return (await Promise.allSettled(sent)).map((one) => {
    if (one.status === 'fulfilled') return 'taken';
    expect(one.reason).toBeInstanceOf(WorkflowUpdateFailedError);
    return 'refused';
  });
}

/** The same where one may end the run at once: the server itself answers what arrives after that. */
async function answersUpToTheEnd(...sent: readonly Promise<unknown>[]): Promise<readonly Answer[]> {
  const settled = await Promise.allSettled(sent);
  const byServer = settled.filter((one) => one.status === 'rejected' && one.reason instanceof WorkflowNotFoundError);
  const others = sent.filter((_, at) => !byServer.includes(settled[at] as PromiseSettledResult<unknown>));
  return [...(await answers(...others)), ...byServer.map(() => 'refused' as const)];
}

describe('of two messages at the same time', () => {
  test('one abort counts, the other is refused', async () => {
    const { world, start } = upgradeOf();
    let both: Promise<readonly string[]> | undefined;
    const { handle } = await start({
      before: onceBefore('evictPods', async () => {
        const abort = (args: typeof ann) => handle.executeUpdate(abortUpdate, { args: [args] });
        both = answers(abort(ann), abort(bob));
        await both;
      }),
    });
    const report = await handle.result();
    expect([...((await both) ?? [])].toSorted()).toEqual(['refused', 'taken']);
    expect(report.outcome).toBe('aborted');
    expect(report.actions.filter(({ action }) => action === 'abort')).toHaveLength(1);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each([
    ['another one', approveUpdate],
    ['a rejection', rejectUpdate],
  ] as const)('the first answer to a request for approval counts: an approval and %s', async (_, other) => {
    const approvals = { at: ['start'], timeoutMs: undefined, onTimeout: 'stall' } as const;
    const { world, harness, handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start();
    await harness.until(handle, 'it waits for approval', ({ approval }) => approval !== undefined);
    const told = await answersUpToTheEnd(
      handle.executeUpdate(approveUpdate, { args: [ann] }),
      handle.executeUpdate(other, { args: [bob] }),
    );
    expect([...told].toSorted()).toEqual(['refused', 'taken']);
    const report = await handle.result();
    const counted = report.actions.filter(({ action }) => action === 'approve' || action === 'reject');
    expect(counted).toHaveLength(1);
    expect(report.outcome).toBe(counted[0]?.action === 'approve' ? 'completed' : 'aborted');
    expectNothingLost(world);
  });

  test.each(
    someOf(
      [
        ['a resume', resumeUpdate, 'completed'],
        ['an abort', abortUpdate, 'aborted'],
      ],
      1,
    ),
  )('a resume and, of another operator, %s end a stall, whichever is first', async (_, other, outcome) => {
    let times = 0;
    const { world, harness, handle } = await upgradeOf().start({
      before: (step) => {
        if (step === 'evictPods' && (times += 1) === 1) throw ApplicationFailure.nonRetryable('the API server is odd');
      },
    });
    await harness.until(handle, 'it is stalled', ({ stalled }) => stalled !== undefined);
    const told = await answers(
      handle.executeUpdate(resumeUpdate, { args: [ann] }),
      handle.executeUpdate(other, { args: [bob] }),
    );
    const report = await harness.finish(handle);
    expect(told).toContain('taken');
    expect(report.outcome).toBe(outcome);
    expect(report.actions.length).toBe(1 + told.filter((answer) => answer === 'taken').length);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(someOf(['surgePods', 'excludeNext', 'evictPods', 'terminateNode'], 1))(
    'a skip and an abort in either order end in an aborted run, at %s',
    async (step) => {
      for (const order of [0, 1]) {
        const { world, start } = upgradeOf({ podSurge: { max: 0.5 } });
        const { handle } = await start({
          before: onceBefore(step, async () => {
            const send = [
              async () => await handle.executeUpdate(skipUpdate, { args: [{ ...ann, node: 'ip-10-0-0-1' }] }),
              async () => await handle.executeUpdate(abortUpdate, { args: [bob] }),
            ];
            await answers(...(order === 0 ? send : send.toReversed()).map(async (one) => await one()));
          }),
        });
        const report = await handle.result();
        expect(report.outcome).toBe('aborted');
        expectNothingLost(world);
        expectNothingLeft(world, 4);
      }
    },
  );

  test('one skip of a node counts, the other is refused, and so is a retry of it', async () => {
    const { world, start } = upgradeOf();
    let told: readonly string[] = [];
    const { harness, handle } = await start({
      before: onceBefore('evictPods', async () => {
        const node = 'ip-10-0-0-1';
        told = await answers(
          handle.executeUpdate(skipUpdate, { args: [{ ...ann, node }] }),
          handle.executeUpdate(skipUpdate, { args: [{ ...bob, node }] }),
          handle.executeUpdate(retryUpdate, { args: [{ ...bob, node }] }),
        );
      }),
    });
    const report = await harness.finish(handle);
    expect(told.toSorted()).toEqual(['refused', 'refused', 'taken']);
    expect(report.actions.filter(({ action }) => action === 'skip')).toHaveLength(1);
    expect(report.nodes.map(({ step }) => step).filter((step) => step === 'skipped')).toHaveLength(1);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('a pause and an abort both count, and the run is aborted', async () => {
    const { world, handle } = await upgradeOf().start({
      before: onceBefore('awaitDeregistered', async () => {
        await answers(
          handle.executeUpdate(pauseUpdate, { args: [ann] }),
          handle.executeUpdate(abortUpdate, { args: [bob] }),
        );
      }),
    });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a message that comes too late', () => {
  test('is answered while the old pool is deleted: a pause stops nothing any more, an abort is refused', async () => {
    const { world, start } = upgradeOf();
    let told: readonly string[] = [];
    const { handle } = await start({
      before: onceBefore('deletePool', async () => {
        told = await answers(
          handle.executeUpdate(pauseUpdate, { args: [ann] }),
          handle.executeUpdate(abortUpdate, { args: [bob] }),
        );
      }),
    });
    const report = await handle.result();
    expect(told).toEqual(['taken', 'refused']);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
  });

  test.each([
    ['resume', resumeUpdate],
    ['approve', approveUpdate],
    ['override-window', overrideWindowUpdate],
  ] as const)('and has nothing to act on is refused with the reason: %s', async (_, update) => {
    let told: readonly string[] = [];
    const { harness, handle } = await upgradeOf().start({
      before: onceBefore('awaitDeregistered', async () => {
        told = await answers(handle.executeUpdate(update, { args: [ann] }));
      }),
    });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expect(told).toEqual(['refused']);
  });
});

describe('another concurrency', () => {
  test('holds for the nodes that have not been excluded yet, and is recorded', async () => {
    const { world, start } = upgradeOf({ nodes: 6 });
    const most: number[] = [];
    const { harness, handle } = await start({
      before: onceBefore('excludeNext', async () => {
        await handle.executeUpdate(setConcurrencyUpdate, { args: [{ ...ann, maxInFlight: 1 }] });
      }),
    });
    const result = harness.finish(handle);
    await harness.until(handle, 'it ends', (status) => {
      most.push(status.nodes.filter(({ step }) => !['pending', 'replaced'].includes(step)).length);
      return status.finishedAt !== undefined || status.phase === 'finalize';
    });
    const report = await result;
    expect(Math.max(...most)).toBe(1);
    expect(report.actions).toContainEqual(expect.objectContaining({ action: 'set-concurrency', of: '1 node', ...ann }));
    expectNothingLost(world);
  });

  test.each([0, 1.5, 1001, Number.NaN])('of %d nodes is refused', async (maxInFlight) => {
    let told: readonly string[] = [];
    const { handle } = await upgradeOf().start({
      before: onceBefore('preflight', async () => {
        told = await answers(handle.executeUpdate(setConcurrencyUpdate, { args: [{ ...ann, maxInFlight }] }));
        await handle.executeUpdate(abortUpdate, { args: [bob] });
      }),
    });
    await handle.result();
    expect(told).toEqual(['refused']);
  });
});
