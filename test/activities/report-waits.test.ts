import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { pollUntil } from '../../activities/polling.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';

/** An environment that keeps what activities log. */
function openLog(activityType: string) {
  const entries: LogEntry[] = [];
  const logger = new DefaultLogger('INFO', (entry) => void entries.push(entry));
  return { entries, environment: new MockActivityEnvironment({ activityType }, { logger }) };
}

test('a step that waits says what for, and again when the reason changes, twice a minute at most', async () => {
  const { entries, environment } = openLog('podsGone');
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  await environment.run(
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
  expect(entries.map(({ meta }) => meta?.['reason'])).toEqual(['60 are there', '30 are there', 'web-1 is there']);
  expect(entries[0]).toMatchObject({
    level: 'INFO',
    message: 'waits for pods to leave n1: 60 are there',
    meta: { activityType: 'podsGone', waitsFor: 'pods to leave n1' },
  });
});

test('a step that need not wait says nothing', async () => {
  const { entries, environment } = openLog('podsGone');
  const clock = { now: () => 0, sleep: async () => undefined };
  const observation = async () => ({ done: true, value: {} }) as const;
  const wait = { clock, what: 'it', deadlineMs: undefined, pollIntervalMs: 1, hint: '', poll: observation };
  await environment.run(async () => await pollUntil(wait));
  expect(entries).toEqual([]);
});
