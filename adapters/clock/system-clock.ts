import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** The longest time of a timer, ms: Node.js fires one that is set to more after 1 ms (lib/internal/timers.js, TIMEOUT_MAX). A policy allows 30 days. */
const maxTimerMs = 2 ** 31 - 1;

/** The system clock. Its sleep ends early, without an error, when the signal aborts. */
export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    let left = ms;
    for (; left > maxTimerMs; left -= maxTimerMs) await pause(maxTimerMs, signal);
    await pause(left, signal);
  },
};

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return delay(ms);
  if (signal.aborted) return;
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
