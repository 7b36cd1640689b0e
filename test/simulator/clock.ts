import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../ports/clock.ts';

/** Somebody whose work takes no virtual time, and who is asleep while it has a sleeper on the clock. */
interface Actor {
  readonly name: string;
  sleepers: number;
}

interface Sleeper {
  readonly actor: Actor | undefined;
  readonly wakeAt: number;
  readonly wake: () => void;
  readonly fail: (why: Error) => void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Somebody outside the world who waits for something to happen in it. */
interface Onlooker {
  /** It has seen the world as it is now. */
  observed(): void;
  /** It no longer waits. */
  leave(): void;
}

/**
 * Time moves at most this far, ms, until every onlooker has observed again. So an onlooker that is slow, because this machine is busy, never finds the
 * world far beyond what it waits for.
 */
export const maxBlinkMs = 10 * 60_000;

/** A clock that stands still while anybody works, and jumps to the next event when everybody sleeps. */
export interface VirtualClock extends Clock {
  /** Runs `fire` at that time (epoch ms); earlier times mean now. */
  at(time: number, fire: () => void): void;
  /** Runs something that acts in the world: from its start to its end, time moves only while it sleeps on this clock. */
  act<T>(name: string, body: () => Promise<T>): Promise<T>;
  /** Time stands still while `why` returns a reason. Whoever gives reasons calls `recheck` when one may have gone. */
  standStillWhile(why: () => string | undefined): void;
  recheck(): void;
  /** Somebody waits from now on for something to happen. */
  onlooker(name: string): Onlooker;
  /** Why time stands still at the moment, as text. */
  whyStill(): string | undefined;
  /** Called before time moves to `to`, with the period until then; the world does not change during it. */
  onPassage(listener: (from: number, to: number) => void): void;
  /** Moves time without waiting for anybody; for tests of the world itself. */
  advance(ms: number): void;
  /** Ends the world: time stands still for good, and whoever sleeps or goes to sleep fails. */
  stop(): void;
}

/** Creates a virtual clock that starts at `start` (epoch ms). */
export function createVirtualClock(start: number): VirtualClock {
  let now = start;
  let order = 0;
  let stopped = false;
  let observer = false;
  let sleepers: Sleeper[] = [];
  const timers: Timer[] = [];
  const actors = new Set<Actor>();
  const current = new AsyncLocalStorage<Actor>();
  const onlookers = new Set<{ readonly name: string; seenAt: number }>();
  const reasons: (() => string | undefined)[] = [];
  const listeners: ((from: number, to: number) => void)[] = [];

  function passTo(time: number): void {
    for (;;) {
      timers.sort((a, b) => a.at - b.at || a.order - b.order);
      const next = timers[0];
      if (next === undefined || next.at > time) break;
      timers.shift();
      move(next.at);
      next.fire();
    }
    move(time);
  }

  function move(time: number): void {
    if (time <= now) return;
    for (const listener of listeners) listener(now, time);
    now = time;
  }

  function whyStill(): string | undefined {
    if (stopped) return 'the world has ended';
    if (sleepers.length === 0) return 'nobody sleeps';
    for (const actor of actors) if (actor.sleepers === 0) return `${actor.name} is at work`;
    for (const reason of reasons) {
      const why = reason();
      if (why !== undefined) return why;
    }
    for (const { name, seenAt } of onlookers) if (now >= seenAt + maxBlinkMs) return `${name} has yet to observe again`;
    return undefined;
  }

  function nextMoment(): number {
    const wakings = sleepers.map(({ wakeAt }) => wakeAt);
    const observations = [...onlookers].map(({ seenAt }) => seenAt + maxBlinkMs);
    return Math.min(...wakings, ...observations);
  }

  /** Jumps once per turn of the event loop, so that network and timers run between two jumps. */
  function recheck(): void {
    if (observer || stopped) return;
    observer = true;
    setImmediate(() => {
      observer = false;
      if (whyStill() !== undefined) return;
      passTo(nextMoment());
      for (const sleeper of sleepers.filter(({ wakeAt }) => wakeAt <= now)) sleeper.wake();
      recheck();
    });
  }

  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    if (stopped) throw ended();
    const actor = current.getStore();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        if (actor !== undefined) actor.sleepers -= 1;
        signal?.removeEventListener('abort', wake);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const fail = (why: Error) => {
        leave();
        reject(why);
      };
      const sleeper: Sleeper = { actor, wakeAt: now + Math.max(1, ms), wake, fail };
      sleepers.push(sleeper);
      if (actor !== undefined) actor.sleepers += 1;
      signal?.addEventListener('abort', wake, { once: true });
      recheck();
    });
  }

  return {
    now: () => now,
    sleep,
    at: (time, fire) => {
      order += 1;
      timers.push({ at: Math.max(time, now), order, fire });
    },
    act: async (name, body) => {
      const actor: Actor = { name, sleepers: 0 };
      actors.add(actor);
      try {
        return await current.run(actor, body);
      } finally {
        actors.delete(actor);
        recheck();
      }
    },
    standStillWhile: (why) => {
      reasons.push(why);
    },
    recheck,
    onlooker: (name) => {
      const onlooker = { name, seenAt: now };
      onlookers.add(onlooker);
      return {
        observed: () => {
          onlooker.seenAt = now;
          recheck();
        },
        leave: () => {
          onlookers.delete(onlooker);
          recheck();
        },
      };
    },
    whyStill,
    onPassage: (listener) => {
      listeners.push(listener);
    },
    advance: (ms) => passTo(now + ms),
    stop: () => {
      stopped = true;
      for (const sleeper of sleepers) sleeper.fail(ended());
    },
  };
}

function ended(): Error {
  return new Error('the world has ended');
}
