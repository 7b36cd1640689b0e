import type { Clock } from '../../ports/clock.ts';

/** Turns to make a call, handed out in the order of asking. */
export interface RateBudget {
  /** Ends when the caller may make one call. */
  take(): Promise<void>;
}

/**
 * A token bucket: `burst` calls at once, then `ratePerSecond`. ELB's own bucket for Describe calls holds 40 and refills by
 * 10 per second for the whole account, controllers included (ELB user guide, "Request throttling for the ELB API").
 */
export function createRateBudget(options: {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): RateBudget {
  const { clock, ratePerSecond, burst } = options;
  const intervalMs = 1000 / ratePerSecond;
  /** When the bucket would be full again if nobody asked any more, epoch ms. */
  let fullAt = 0;
  return {
    async take() {
      const now = clock.now();
      fullAt = Math.max(fullAt, now) + intervalMs;
      const waitMs = fullAt - now - burst * intervalMs;
      if (waitMs > 0) await clock.sleep(waitMs);
    },
  };
}
