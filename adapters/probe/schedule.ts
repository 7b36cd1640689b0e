/** A running schedule. */
interface Schedule {
  stop(): void;
  /** How much later than planned the process has run its timers so far, ms in total: suspensions of the process, not delays of the network. */
  stalledMs(): number;
}

/** Longest time between two readings of the clock, ms. */
const maxTickMs = 100;

/** A timer that is later than this means that the process was suspended; less is the usual inaccuracy of timers, ms. */
const standstillMs = 50;

/**
 * Calls `fire` at the given rate, whatever the result of the calls (an open loop). Calls that were due while the process was suspended are skipped,
 * except those of the last 100 ms: a burst of late calls would measure this process.
 */
export function startSchedule(ratePerSecond: number, fire: () => void): Schedule {
  const intervalMs = 1000 / ratePerSecond;
  const tickMs = Math.min(intervalMs, maxTickMs);
  const maxAtOnce = Math.ceil((ratePerSecond * maxTickMs) / 1000);
  const startedAt = performance.now();
  let fired = 0;
  let stalled = 0;
  let tickDue = startedAt + tickMs;

  const timer = setInterval(() => {
    const now = performance.now();
    const lateMs = now - tickDue;
    if (lateMs > standstillMs) stalled += lateMs;
    tickDue = now + tickMs;
    const due = Math.floor((now - startedAt) / intervalMs);
    fired = Math.max(fired, due - maxAtOnce);
    for (; fired < due; fired += 1) fire();
  }, tickMs);

  return { stop: () => clearInterval(timer), stalledMs: () => stalled };
}
