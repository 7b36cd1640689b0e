import type { WorkflowQueryInput } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../simulator/clock.ts';
import { clientCalls } from './client-calls.ts';
import { createOpenEnds } from './open-ends.ts';

const nothing = { ended: false, cancelled: false, activities: [], children: [], sent: [], handled: [] };

/** A client that asks the run of that workflow, and how often the server has been asked. */
function askedServer() {
  const ends = createOpenEnds(
    () => 'none',
    () => undefined,
  );
  const { query } = clientCalls(ends, createVirtualClock(0));
  let asked = 0;
  const ask = async (queryType: string, workflowId = 'pool') => {
    const input = { queryType, args: [], workflowExecution: { workflowId }, headers: {} } as WorkflowQueryInput;
    return await query?.(input, async () => {
      asked += 1;
      return `answer ${asked}`;
    });
  };
  return { ends, ask };
}

test('a question is put to the server again once its workflow has told something, and not before', async () => {
  const { ends, ask } = askedServer();
  ends.tell({ workflowId: 'pool', runId: 'p1' }, nothing);
  expect(await ask('status')).toBe('answer 1');
  expect(await ask('status')).toBe('answer 1');
  expect(await ask('plan')).toBe('answer 2');
  expect(await ask('status', 'other')).toBe('answer 3');
  ends.tell({ workflowId: 'other', runId: 'o1' }, nothing);
  expect(await ask('status')).toBe('answer 1');
  ends.tell({ workflowId: 'pool', runId: 'p1' }, nothing);
  expect(await ask('status')).toBe('answer 4');
  ends.expect({ workflowId: 'pool', runId: 'p2' });
  expect(await ask('status')).toBe('answer 5');
});

test('an answer is good only if the workflow told nothing while it was under way', async () => {
  const { ends } = askedServer();
  const { query } = clientCalls(ends, createVirtualClock(0));
  const input = {
    queryType: 'status',
    args: [],
    workflowExecution: { workflowId: 'pool' },
    headers: {},
  } as WorkflowQueryInput;
  const first = await query?.(input, async () => {
    ends.tell({ workflowId: 'pool', runId: 'p1' }, nothing);
    return 'before';
  });
  expect(first).toBe('before');
  expect(await query?.(input, async () => 'after')).toBe('after');
});
