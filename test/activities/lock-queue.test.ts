import { describe, expect, test } from 'vitest';
import { createLockQueue } from '../../activities/lock-queue.ts';
import { createVirtualClock } from '../simulator/clock.ts';

const start = Date.UTC(2026, 0, 1);
const never = new AbortController().signal;

/** Steps of a worker that each want a turn at some names and keep it for a while, in the order in which they ask. */
async function play(
  wishes: readonly { readonly names: readonly string[]; readonly keepMs: number; patienceMs?: number }[],
) {
  const clock = createVirtualClock(start);
  const turns = createLockQueue(clock);
  const told: string[] = [];
  const busy = new Set<string>();
  const steps = wishes.map(({ names, keepMs, patienceMs = 60_000 }, index) =>
    clock.act(`step ${index}`, async () => {
      const end = await turns.take(names, patienceMs, never);
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

describe('turns', () => {
  test('come in the order in which they were asked for, the next as soon as one has ended', async () => {
    const wish = { names: ['a'], keepMs: 100 };
    expect(await play([wish, wish, wish])).toEqual(['0 from 0', '1 from 100', '2 from 200']);
  });

  test('at different things don’t wait for each other', async () => {
    expect(
      await play([
        { names: ['a'], keepMs: 100 },
        { names: ['b'], keepMs: 100 },
      ]),
    ).toEqual(['0 from 0', '1 from 0']);
  });

  test('at several things wait for all of them, and nobody waits for ever', async () => {
    const told = await play([
      { names: ['a', 'b'], keepMs: 100 },
      { names: ['b', 'c'], keepMs: 100 },
      { names: ['a', 'c'], keepMs: 100 },
      { names: ['a', 'b', 'c'], keepMs: 100 },
    ]);
    expect(new Set(told.map((line) => line[0]))).toEqual(new Set(['0', '1', '2', '3']));
    expect(told.filter((line) => line.includes('gave up'))).toEqual([]);
  });

  test('that don’t come in time are given up, and don’t hold up those behind', async () => {
    const wish = { names: ['a'], keepMs: 1_000 };
    expect(await play([wish, { ...wish, patienceMs: 300 }, wish])).toEqual([
      '0 from 0',
      '1 gave up after 300',
      '2 from 1000',
    ]);
  });

  test('that are not wanted any more are given up with the reason', async () => {
    const clock = createVirtualClock(start);
    const turns = createLockQueue(clock);
    const end = await turns.take(['a'], 60_000, never);
    const cancelled = new AbortController();
    const waiting = turns.take(['a'], 60_000, cancelled.signal);
    const behind = turns.take(['a'], 60_000, never);
    cancelled.abort(new Error('paused'));
    await expect(waiting).rejects.toThrow('paused');
    end?.();
    expect(await behind).toBeTypeOf('function');
    await expect(turns.take(['b'], 60_000, cancelled.signal)).rejects.toThrow('paused');
    expect(await turns.take(['b'], 60_000, never)).toBeTypeOf('function');
    clock.stop();
  });
});
