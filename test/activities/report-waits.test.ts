import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test } from 'vitest';
import { pollUntil } from '../../activities/polling.ts';
import { listenToWaits, type ReportedWait } from '../../activities/report-waits.ts';

afterEach(() => listenToWaits(undefined));

test('a step that waits says what for, and again when the reason changes, twice a minute at most', async () => {
  const told: ReportedWait[] = [];
  listenToWaits((wait) => told.push(wait));
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  await new MockActivityEnvironment({ activityType: 'podsGone' }).run(
    async () =>
      await pollUntil({
        clock,
        what: 'pods to leave n1',
        deadlineMs: undefined,
        pollIntervalMs: 5_000,
        hint: '',
        poll: async () =>
          now >= 120_000
            ? { done: true, value: {} }
            : { done: false, reason: now < 60_000 ? `${60 - now / 1000} are there` : 'web-1 is there' },
      }),
  );
  expect(told.map(({ reason }) => reason)).toEqual(['60 are there', '30 are there', 'web-1 is there']);
  expect(told[0]).toMatchObject({ step: 'podsGone', waitsFor: 'pods to leave n1' });
});

test('a step that need not wait says nothing', async () => {
  const told: ReportedWait[] = [];
  listenToWaits((wait) => told.push(wait));
  const clock = { now: () => 0, sleep: async () => undefined };
  const observation = async () => ({ done: true, value: {} }) as const;
  const wait = { clock, what: 'it', deadlineMs: undefined, pollIntervalMs: 1, hint: '', poll: observation };
  await new MockActivityEnvironment().run(async () => await pollUntil(wait));
  expect(told).toEqual([]);
});
