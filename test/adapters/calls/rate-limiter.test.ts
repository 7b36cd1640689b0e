import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coalesce } from '../../../adapters/calls/coalesce.ts';
import { createRateLimiter } from '../../../adapters/calls/rate-limiter.ts';

/** A clock on which every sleeper gets its own time: `sleep` tells when it would end. */
function sleepersClock() {
  const ends: number[] = [];
  let now = 0;
  return {
    ends,
    advance: (ms: number) => {
      now += ms;
    },
    now: () => now,
    sleep: async (ms: number) => {
      ends.push(now + ms);
    },
  };
}

test('lets the burst through at once and then one call per interval', async () => {
  const clock = sleepersClock();
  const limiter = createRateLimiter({ ratePerSecond: 4, burst: 3, clock });

  for (let index = 0; index < 6; index += 1) await limiter.acquire();

  expect(clock.ends).toEqual([250, 500, 750]);
});

test('fills up again while nobody asks, but never beyond the burst', async () => {
  const clock = sleepersClock();
  const limiter = createRateLimiter({ ratePerSecond: 4, burst: 2, clock });
  for (let index = 0; index < 4; index += 1) await limiter.acquire();

  clock.advance(60_000);
  for (let index = 0; index < 3; index += 1) await limiter.acquire();

  expect(clock.ends).toEqual([250, 500, 60_250]);
});

test('never lets more than burst plus rate times time through in any span of time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 60 }), async (pauses) => {
      const clock = sleepersClock();
      const limiter = createRateLimiter({ ratePerSecond: 4, burst: 5, clock });
      const passed: number[] = [];
      for (const pause of pauses) {
        clock.advance(pause);
        const slept = clock.ends.length;
        await limiter.acquire();
        passed.push(clock.ends[slept] ?? clock.now());
      }
      passed.forEach((from, first) => {
        passed.slice(first).forEach((to, more) => {
          expect(more + 1).toBeLessThanOrEqual(5 + 1 + ((to - from) * 4) / 1000 + 1e-6);
        });
      });
    }),
  );
});

test('a caller in a hurry goes before all who asked earlier', async () => {
  const wakes: (() => void)[] = [];
  const clock = { now: () => 0, sleep: async () => await new Promise<void>((wake) => void wakes.push(wake)) };
  const limiter = createRateLimiter({ ratePerSecond: 1, burst: 1, clock });
  await limiter.acquire();
  const came: string[] = [];
  const tickets = ['first', 'second', 'third'].map((name) => {
    const ticket = limiter.queue();
    return { ticket, come: ticket.come.then(() => came.push(name)) };
  });

  tickets[2]?.ticket.hurry();
  for (let index = 0; index < tickets.length; index += 1) {
    await expect.poll(() => wakes.length).toBe(index + 1);
    wakes[index]?.();
  }
  await Promise.all(tickets.map(({ come }) => come));

  expect(came).toEqual(['third', 'first', 'second']);
});

/** A ticket that is admitted when told to, or at once. */
const aTicket = (come: Promise<void> = Promise.resolve()) => ({ come, hurry: () => undefined });

test('a caller that accepts an old observation gets it while it is fresh enough, and never one older than it allows', async () => {
  const clock = sleepersClock();
  let observations = 0;
  const observation = coalesce(
    clock,
    () => aTicket(),
    async (_group: string) => `observation ${++observations}`,
  );
  await observation('group');
  clock.advance(10_000);

  expect(await observation('group', { since: 0 })).toBe('observation 1');
  expect(await observation('group', { since: 1 })).toBe('observation 2');
  expect(await observation('group', { since: 10_000 })).toBe('observation 2');
  expect(await observation('group')).toBe('observation 3');
});

test('a caller in a hurry speeds up the observation that it joins', async () => {
  const hurried: string[] = [];
  const ticket = Promise.withResolvers<void>();
  const observation = coalesce(
    sleepersClock(),
    () => ({ come: ticket.promise, hurry: () => void hurried.push('hurry') }),
    async () => 'seen',
  );

  const waiting = observation('group');
  const held = observation('group', { first: true });
  expect(hurried).toEqual(['hurry']);
  ticket.resolve();

  expect(await Promise.all([waiting, held])).toEqual(['seen', 'seen']);
});

test.each([
  ['somebody who waits for it is in a hurry', true],
  ['nobody is', false],
])('an observation is told whether %s', async (_who, first) => {
  const told: boolean[] = [];
  const ticket = Promise.withResolvers<void>();
  const observation = coalesce(
    sleepersClock(),
    () => aTicket(ticket.promise),
    async (_group: string, hurried) => void told.push(hurried),
  );
  const both = [observation('group'), observation('group', { first })];
  ticket.resolve();
  await Promise.all(both);
  expect(told).toEqual([first]);
});

test('observations of things with the same key are one', async () => {
  const observed: number[] = [];
  const ticket = Promise.withResolvers<void>();
  const observation = coalesce(
    sleepersClock(),
    () => aTicket(ticket.promise),
    async ({ size }: { readonly id: string; readonly size: number }) => void observed.push(size),
    ({ id }) => id,
  );
  const all = [observation({ id: 'a', size: 1 }), observation({ id: 'a', size: 2 }), observation({ id: 'b', size: 3 })];
  ticket.resolve();
  await Promise.all(all);
  expect(observed).toEqual([1, 3]);
});

test('callers join an observation that still waits in the queue, and never one in progress', async () => {
  const tickets = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let ticketsTaken = 0;
  let observations = 0;
  const observation = coalesce(
    sleepersClock(),
    () => aTicket(tickets[ticketsTaken++]?.promise),
    () => answers[observations++]?.promise ?? Promise.resolve('none'),
  );

  const first = observation('group');
  const joined = observation('group');
  tickets[0]?.resolve();
  await expect.poll(() => observations).toBe(1);
  const later = observation('group');
  tickets[1]?.resolve();
  answers[0]?.resolve('old');
  answers[1]?.resolve('new');

  expect(await Promise.all([first, joined, later])).toEqual(['old', 'old', 'new']);
  expect(observations).toBe(2);
});

test('an observation that fails, fails only for those who joined it', async () => {
  let observations = 0;
  const observation = coalesce(
    sleepersClock(),
    () => aTicket(),
    async () => {
      observations += 1;
      if (observations === 1) throw new Error('throttled');
      return 'fine';
    },
  );

  const [first, joined] = await Promise.allSettled([observation('group'), observation('group')]);

  expect([first.status, joined.status]).toEqual(['rejected', 'rejected']);
  expect(await observation('group')).toBe('fine');
});
