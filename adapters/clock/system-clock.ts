import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** The system clock. Its sleep ends early, without an error, when the signal aborts. */
export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    if (signal === undefined) return delay(ms);
    if (signal.aborted) return;
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};
