import { describe, expect, test } from 'vitest';
import { createLockQueue } from '../../activities/lock-queue.ts';
import { createVirtualClock } from '../simulator/clock.ts';

const start = Date.UTC(2026, 0, 1);
const never = new AbortController().signal;

/** Steps of a worker that each acquire locks of some names and keep them for a while, in the order in which they ask. */
async function play(
  requests: readonly { readonly names: readonly string[]; readonly keepMs: number; patienceMs?: number }[],
) {
  const clock = createVirtualClock(start);
  const queue = createLockQueue(clock);
  const told: string[] = [];
  const busy = new Set<string>();
  const steps = requests.map(({ names, keepMs, patienceMs = 60_000 }, index) =>
    clock.act(`step ${index}`, async () => {
      const end = await queue.enter(names, patienceMs, never);
      if (end === undefined) return void told.push(`${index} gave up after ${clock.now() - start}`);
      for (const name of names) expect(busy.has(name)).toBe(false);
      for (const name of names) busy.add(name);
      told.push(`${index} from ${clock.now() - start}`);
      await clock.sleep(keepMs);
      for (const name of names) busy.delete(name);
      end();
    }),
  );
  await Promise.all(steps);
  clock.stop();
  return told;
}

describe('locks of a queue', () => {
  test('are acquired in the order in which they were asked for, the next as soon as one is released', async () => {
    const request = { names: ['a'], keepMs: 100 };
    expect(await play([request, request, request])).toEqual(['0 from 0', '1 from 100', '2 from 200']);
  });

  test('of different names don’t wait for each other', async () => {
    expect(
      await play([
        { names: ['a'], keepMs: 100 },
        { names: ['b'], keepMs: 100 },
      ]),
    ).toEqual(['0 from 0', '1 from 0']);
  });

  test('of several names wait for all of them, and nobody waits for ever', async () => {
    const told = await play([
      { names: ['a', 'b'], keepMs: 100 },
      { names: ['b', 'c'], keepMs: 100 },
      { names: ['a', 'c'], keepMs: 100 },
      { names: ['a', 'b', 'c'], keepMs: 100 },
    ]);
    expect(new Set(told.map((line) => line[0]))).toEqual(new Set(['0', '1', '2', '3']));
    expect(told.filter((line) => line.includes('gave up'))).toEqual([]);
  });

  test('that are not acquired in time are given up, and don’t block those behind', async () => {
    const request = { names: ['a'], keepMs: 1_000 };
    expect(await play([request, { ...request, patienceMs: 300 }, request])).toEqual([
      '0 from 0',
      '1 gave up after 300',
      '2 from 1000',
    ]);
  });

  test('that are not needed any more are given up with the reason', async () => {
    const clock = createVirtualClock(start);
    const queue = createLockQueue(clock);
    const end = await queue.enter(['a'], 60_000, never);
    const cancelled = new AbortController();
    const waiting = queue.enter(['a'], 60_000, cancelled.signal);
    const behind = queue.enter(['a'], 60_000, never);
    cancelled.abort(new Error('paused'));
    await expect(waiting).rejects.toThrow('paused');
    end?.();
    expect(await behind).toBeTypeOf('function');
    await expect(queue.enter(['b'], 60_000, cancelled.signal)).rejects.toThrow('paused');
    expect(await queue.enter(['b'], 60_000, never)).toBeTypeOf('function');
    clock.stop();
  });
});
