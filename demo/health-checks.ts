/** How long targets take to be healthy, on average: their health checks come at random moments of the interval. */

/** A health check, and how many targets there are for it. */
interface HealthChecks {
  /** Checks in a row that have to pass. */
  readonly threshold: number;
  readonly intervalMs: number;
  /** Nodes of which each has a target in so many groups. */
  readonly nodes: number;
  readonly groups: number;
}

/** Mean time from the moment from which on targets answer well until all targets of all nodes are healthy, ms. */
export function meanUntilAllMs({ nodes, groups, ...check }: HealthChecks): number {
  return meanUntilOneMs({ ...check, nodes: 1, groups: nodes * groups });
}

/**
 * The same until all targets of any one node are. The last of g first checks comes before the share x of the interval with probability x^g, so the earliest
 * of n such moments comes on average at the integral of (1 - x^g)^n from 0 to 1, which is the product of gi / (gi + 1) for i from 1 to n.
 */
export function meanUntilOneMs({ threshold, intervalMs, nodes, groups }: HealthChecks): number {
  let share = 1;
  for (let node = 1; node <= nodes; node++) share *= (groups * node) / (groups * node + 1);
  return (threshold - 1 + share) * intervalMs;
}
