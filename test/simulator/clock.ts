import type { Clock } from '../../ports/clock.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that stands still while anybody works, and jumps to the next thing to happen when everybody sleeps. */
export interface VirtualClock extends Clock {
  /** Runs `fire` at that time (epoch ms); earlier times mean now. */
  at(time: number, fire: () => void): void;
  /**
   * A step began or ended, so that the clock knows whom to wait for. `successors`: steps that should begin because of it; the clock
   * stands still until they do, but no longer than `patienceMs` of real time.
   */
  stepBegins(): void;
  stepEnds(successors: number, patienceMs?: number): void;
  /** Called before time moves to `to`, with the time until then; the world looks the same all that while. */
  onPassage(listener: (from: number, to: number) => void): void;
  /** Moves without waiting for anybody; for tests of the world itself. */
  advance(ms: number): void;
  stop(): void;
}

/** Real ms that a workflow gets to begin its next step before the clock goes on without it. */
const graceMs = 400;

/** Makes a virtual clock that begins at `start` (epoch ms). */
export function createVirtualClock(start: number): VirtualClock {
  let now = start;
  let order = 0;
  let running = 0;
  let stopped = false;
  let sleepers: Sleeper[] = [];
  const timers: Timer[] = [];
  const expected: NodeJS.Timeout[] = [];
  const listeners: ((from: number, to: number) => void)[] = [];
  let checking = false;

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

  function check(): void {
    if (checking || stopped) return;
    checking = true;
    // Two turns of the event loop: whatever was woken has come as far as it can by then.
    setImmediate(() =>
      setImmediate(() => {
        checking = false;
        if (stopped || running === 0 || sleepers.length < running || expected.length > 0) return;
        const wakeAt = Math.min(...sleepers.map((sleeper) => sleeper.wakeAt));
        passTo(wakeAt);
        const due = sleepers.filter((sleeper) => sleeper.wakeAt <= now);
        sleepers = sleepers.filter((sleeper) => sleeper.wakeAt > now);
        for (const sleeper of due) sleeper.wake();
        check();
      }),
    );
  }

  return {
    now: () => now,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        };
        const sleeper: Sleeper = { wakeAt: now + Math.max(1, ms), wake };
        const cancel = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          resolve();
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', cancel, { once: true });
        check();
      });
    },
    at: (time, fire) => {
      order += 1;
      timers.push({ at: Math.max(time, now), order, fire });
    },
    stepBegins: () => {
      running += 1;
      clearTimeout(expected.shift());
      check();
    },
    stepEnds: (successors, patienceMs = graceMs) => {
      running -= 1;
      for (let i = 0; i < successors; i++) {
        const token = setTimeout(() => {
          expected.splice(expected.indexOf(token), 1);
          check();
        }, patienceMs);
        expected.push(token);
      }
      check();
    },
    onPassage: (listener) => {
      listeners.push(listener);
    },
    advance: (ms) => passTo(now + ms),
    stop: () => {
      stopped = true;
      for (const token of expected) clearTimeout(token);
      for (const sleeper of sleepers) sleeper.wake();
      sleepers = [];
    },
  };
}
