import type { Clock } from '../../../ports/clock.ts';
import { createRateLimiter, type RateLimiter } from '../../calls/rate-limiter.ts';

/** Reads per second over all callers of one project, and how many may be made at once after a quiet period. */
export const readLimits = { ratePerSecond: 10, burst: 50 } as const;

/**
 * The limiter of the reads in one project. Compute Engine counts them for each project and region and by minute: `get` and `list` of regional and zonal
 * resources together, and each of `get`, `list`, `listNetworkEndpoints` and `listManagedInstances` again by itself, 1,500 each unless somebody has changed
 * that (Compute Engine documentation, "Rate quotas"). The controllers of the cluster and everybody else in the project share them. So nodeferry takes 650
 * in its first minute and 600 in each after that, whichever of these they count for.
 */
export function createReadLimiter(clock: Clock): RateLimiter {
  return createRateLimiter({ ...readLimits, clock });
}
