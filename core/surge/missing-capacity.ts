import type { PoolFacts } from '../model/pool.ts';

/** New machines that are asked for, and those that have come. */
export interface CapacityQuestion {
  readonly pool: Pick<PoolFacts, 'status' | 'problems'>;
  /** New nodes that are Ready. */
  readonly ready: number;
  /** So many are worth going on with. */
  readonly enough: number;
  /** The last answer's, if it had one. */
  readonly before: CapacityWait | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** How long the cloud may take to find room, ms. */
  readonly patienceMs: number;
}

/** Since when (epoch ms) no further machine has come while the cloud told of problems. */
export interface CapacityWait {
  readonly since: number;
  readonly ready: number;
}

/**
 * Whether to go on with the machines that are there. Not while their pool is being made: one that is not whole by its time has failed for
 * good, and nothing can grow in it any more (EKS user guide, "Troubleshoot problems with Amazon EKS clusters and nodes", CREATE_FAILED).
 */
export function decideCapacity({ pool, ready, enough, before, now, patienceMs }: CapacityQuestion): {
  readonly goOn: boolean;
  readonly standStill: CapacityWait | undefined;
} {
  const isWhole = pool.status === 'active' || pool.status === 'degraded';
  if (!isWhole || pool.problems.length === 0 || ready < enough) return { goOn: false, standStill: undefined };
  const standStill = before?.ready === ready ? before : { since: now, ready };
  return { goOn: now - standStill.since >= patienceMs, standStill };
}
