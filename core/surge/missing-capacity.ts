import type { PoolFacts } from '../model/pool.ts';

/** The new instances that were requested, and those that have joined. */
interface CapacityQuestion {
  readonly pool: Pick<PoolFacts, 'status' | 'problems'>;
  /** New nodes that are Ready. */
  readonly ready: number;
  /** The number of Ready nodes with which the run can continue. */
  readonly enough: number;
  /** The `capacityWait` of the previous decision, if it had one. */
  readonly before: CapacityWait | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** How long the run waits for capacity, ms. */
  readonly patienceMs: number;
}

/** Since when (epoch ms) no further node has become Ready while the cloud reports problems. */
export interface CapacityWait {
  readonly since: number;
  readonly ready: number;
}

/**
 * Whether to continue with the instances that have joined. Never while their pool is being created: a pool whose creation fails stays
 * failed, and cannot be resized (EKS user guide, "Troubleshoot problems with Amazon EKS clusters and nodes", CREATE_FAILED).
 */
export function decideCapacity({ pool, ready, enough, before, now, patienceMs }: CapacityQuestion): {
  readonly goOn: boolean;
  readonly capacityWait: CapacityWait | undefined;
} {
  const isCreated = pool.status === 'active' || pool.status === 'degraded';
  if (!isCreated || pool.problems.length === 0 || ready < enough) return { goOn: false, capacityWait: undefined };
  const capacityWait = before?.ready === ready ? before : { since: now, ready };
  return { goOn: now - capacityWait.since >= patienceMs, capacityWait };
}
