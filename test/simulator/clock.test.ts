import { describe, expect, test } from 'vitest';
import { createVirtualClock, maxBlinkMs, type VirtualClock } from './clock.ts';

/** Enough turns of the event loop for a clock that may move to have moved. */
async function someTurns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

/** Enough of them for a clock that may move to have moved for hours. */
async function manyTurns(): Promise<void> {
  for (let i = 0; i < 20; i++) await someTurns();
}

/** Somebody who sleeps a minute, time and again, for three hours. */
async function wakeful(clock: VirtualClock): Promise<void> {
  for (let minute = 0; minute < 180; minute++) await clock.sleep(60_000);
}

describe('virtual time', () => {
  test('stands still while one of many is at work, however long, and then wakes each when it is due', async () => {
    const clock = createVirtualClock(0);
    const work = Promise.withResolvers<void>();
    const woken: string[] = [];
    const sleepy = clock.act('sleepy', async () => {
      await clock.sleep(1_000);
      woken.push(`sleepy at ${clock.now()}`);
    });
    const busy = clock.act('busy', async () => {
      await work.promise;
      await clock.sleep(300);
      woken.push(`busy at ${clock.now()}`);
    });
    await someTurns();
    expect([clock.now(), clock.whyStill()]).toEqual([0, 'busy is at work']);
    work.resolve();
    await Promise.all([sleepy, busy]);
    expect(woken).toEqual(['busy at 300', 'sleepy at 1000']);
  });

  test('stands still while somebody gives a reason, and with nobody asleep', async () => {
    const clock = createVirtualClock(0);
    let reason: string | undefined = 'a message is on its way';
    clock.standStillWhile(() => reason);
    expect(clock.whyStill()).toBe('nobody sleeps');
    const asleep = clock.sleep(500);
    await someTurns();
    expect([clock.now(), clock.whyStill()]).toEqual([0, 'a message is on its way']);
    reason = undefined;
    clock.recheck();
    await asleep;
    expect(clock.now()).toBe(500);
  });

  test('counts a sleeper that is called off as at work', async () => {
    const clock = createVirtualClock(0);
    const called = new AbortController();
    const work = Promise.withResolvers<void>();
    const other = clock.act('other', async () => await clock.sleep(1_000));
    const first = clock.act('first', async () => {
      await clock.sleep(5_000, called.signal);
      await work.promise;
    });
    called.abort();
    await someTurns();
    expect([clock.now(), clock.whyStill()]).toEqual([0, 'first is at work']);
    work.resolve();
    await Promise.all([first, other]);
    expect(clock.now()).toBe(1_000);
  });

  test('moves by itself where nobody acts, and everything that is due happens in its order', () => {
    const clock = createVirtualClock(0);
    const happened: string[] = [];
    clock.at(200, () => happened.push(`second at ${clock.now()}`));
    clock.at(100, () => happened.push(`first at ${clock.now()}`));
    clock.at(2_000, () => happened.push('too late'));
    clock.advance(1_000);
    expect(happened).toEqual(['first at 100', 'second at 200']);
  });

  test('moves only so far while an onlooker has yet to observe again, and on when he has, or leaves', async () => {
    const clock = createVirtualClock(0);
    const slow = clock.onlooker('somebody slow');
    const quick = clock.onlooker('somebody quick');
    const night = clock.act('night watch', async () => await wakeful(clock));
    await manyTurns();
    quick.observed();
    await manyTurns();
    expect([clock.now(), clock.whyStill()]).toEqual([maxBlinkMs, 'somebody slow has yet to observe again']);
    slow.observed();
    await manyTurns();
    expect(clock.now()).toBe(2 * maxBlinkMs);
    quick.leave();
    slow.leave();
    await night;
    expect(clock.now()).toBe(180 * 60_000);
  });

  test('does not pass over the moment at which an onlooker must observe, however long the others sleep', async () => {
    const clock = createVirtualClock(0);
    const onlooker = clock.onlooker('a test');
    const asleep = clock.sleep(maxBlinkMs + 1);
    await someTurns();
    expect(clock.now()).toBe(maxBlinkMs);
    onlooker.observed();
    await asleep;
    expect(clock.now()).toBe(maxBlinkMs + 1);
  });

  test('runs far away where nobody watches: control of the rule', async () => {
    const clock = createVirtualClock(0);
    const night = clock.act('night watch', async () => await wakeful(clock));
    await manyTurns();
    expect(clock.now()).toBeGreaterThan(10 * maxBlinkMs);
    await night;
  });

  test('ends: whoever sleeps or goes to sleep fails', async () => {
    const clock = createVirtualClock(0);
    const asleep = clock.sleep(500);
    clock.stop();
    await expect(asleep).rejects.toThrow('the world has ended');
    await expect(clock.sleep(500)).rejects.toThrow('the world has ended');
    expect(clock.now()).toBe(0);
  });
});
