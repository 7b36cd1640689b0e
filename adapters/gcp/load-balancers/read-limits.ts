import type { Clock } from '../../../ports/clock.ts';
import { createRateLimiter, type RateLimiter } from '../../calls/rate-limiter.ts';

/** Reads per second over all callers of one project, unless another rate is configured. */
export const readsPerSecond = 10;

/** As many reads may be made at once after a quiet period, seconds of the rate. */
const burstSeconds = 5;

/**
 * The limiter of the reads in one project. Compute Engine counts them for each project and region and by minute: `get` and `list` of regional and zonal
 * resources together, and each of `get`, `list`, `listNetworkEndpoints` and `listManagedInstances` again by itself, 1,500 each unless somebody has changed
 * that (Compute Engine documentation, "Rate quotas"). The controllers of the cluster and everybody else in the project share them. So nodeferry takes 650
 * in its first minute and 600 in each after that, whichever of these they count for; with another rate, as many times that.
 */
export function createReadLimiter(clock: Clock, ratePerSecond = readsPerSecond): RateLimiter {
  return createRateLimiter({ ratePerSecond, burst: burstSeconds * ratePerSecond, clock });
}
