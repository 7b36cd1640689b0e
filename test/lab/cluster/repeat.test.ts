import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatEvery } from '../../../lab/cluster/repeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('repeats work that has failed, never two at a time, until it is stopped', async () => {
  const ends: ((outcome: 'succeeds' | 'fails') => void)[] = [];
  const work = async () =>
    await new Promise<void>((resolve, reject) => {
      ends.push((outcome) => (outcome === 'fails' ? reject(new Error('no answer')) : resolve()));
    });
  const stop = repeatEvery(500, work);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends).toHaveLength(1);
  ends[0]?.('fails');
  await vi.advanceTimersByTimeAsync(500);
  expect(ends).toHaveLength(2);
  ends[1]?.('succeeds');
  await vi.advanceTimersByTimeAsync(500);
  expect(ends).toHaveLength(3);
  stop();
  ends[2]?.('succeeds');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends).toHaveLength(3);
});
