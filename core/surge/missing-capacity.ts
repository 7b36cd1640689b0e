import { maxGapMs, type ObservationTimes } from '../guard/stable-since.ts';
import type { PoolFacts } from '../model/pool.ts';
import type { WaitPolicy } from '../policy/policy.ts';

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
  readonly waits: ObservationTimes & {
    /** `capacityMs`: how long the run waits for capacity. */
    readonly deadlines: Pick<WaitPolicy['deadlines'], 'capacityMs'>;
  };
}

/** Since when (epoch ms) no further node has become Ready while the cloud reports problems, and when that was seen last. */
export interface CapacityWait {
  readonly since: number;
  readonly ready: number;
  readonly seenAt: number;
}

/**
 * Whether to continue with the instances that have joined. Never while their pool is being created: a pool whose creation fails stays
 * failed, and cannot be resized (EKS user guide, "Troubleshoot problems with Amazon EKS clusters and nodes", CREATE_FAILED). Time in which nothing could
 * be observed does not count: the cloud may have had capacity then.
 */
export function decideCapacity({ pool, ready, enough, before, now, waits }: CapacityQuestion): {
  readonly goOn: boolean;
  readonly capacityWait: CapacityWait | undefined;
} {
  const isCreated = pool.status === 'active' || pool.status === 'degraded';
  if (!isCreated || pool.problems.length === 0 || ready < enough) return { goOn: false, capacityWait: undefined };
  const gapMs = before === undefined ? 0 : Math.max(0, now - before.seenAt - maxGapMs(waits));
  const since = before?.ready === ready ? before.since + gapMs : now;
  return { goOn: now - since >= waits.deadlines.capacityMs, capacityWait: { since, ready, seenAt: now } };
}
