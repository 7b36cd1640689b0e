/** Time in the simulated cloud. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs the action once after this many milliseconds; the returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** The system clock. Its timers don't keep the process alive. */
export function realClock(): Clock {
  return {
    now: Date.now,
    after: (ms, action) => {
      const timer = setTimeout(action, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A clock that only moves when it is advanced. */
export interface ManualClock extends Clock {
  /** Advances by this many milliseconds and runs everything that became due, in order of time. */
  advance(ms: number): void;
}

/** A clock for tests: hours pass at once, and always in the same order. */
export function manualClock(startMs = Date.UTC(2030, 0, 1)): ManualClock {
  let now = startMs;
  let waiting: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, action) => {
      const entry = { at: now + ms, action };
      const next = waiting.findIndex((other) => other.at > entry.at);
      waiting.splice(next === -1 ? waiting.length : next, 0, entry);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    advance: (ms) => {
      const end = now + ms;
      for (let due = waiting[0]; due !== undefined && due.at <= end; due = waiting[0]) {
        waiting.shift();
        now = due.at;
        due.action();
      }
      now = end;
    },
  };
}
