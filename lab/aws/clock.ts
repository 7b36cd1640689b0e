/** Time as the pretend cloud sees it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs the action once after so many milliseconds; the answer cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** The machine's own clock. Its timers don't keep the process alive. */
export function realClock(): Clock {
  return {
    now: Date.now,
    after: (ms, action) => {
      const timer = setTimeout(action, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A clock that stands still until somebody moves it. */
export interface ManualClock extends Clock {
  /** Moves on by so many milliseconds and runs, in order of time, all that became due. */
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
