import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { Outlook } from '../../core/status/outlook.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';

/** The counts of a watch that ended without a result. */
interface LastCounts {
  readonly traffic: TrafficCounts;
  /** Epoch ms: when it began, and its last observation. */
  readonly since: number;
  readonly seenAt: number;
  readonly checkpoint?: { readonly outlook?: Outlook };
}

/**
 * Finds the last counts of a watch in its error: in the details of its own failure, or, when its worker died, in the last heartbeat that
 * the server has received.
 */
export function lastCountsIn(error: unknown): LastCounts | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const details =
      cause instanceof TimeoutFailure
        ? [cause.lastHeartbeatDetails]
        : cause instanceof ApplicationFailure
          ? (cause.details ?? [])
          : [];
    const counts = details.find(isLastCounts);
    if (counts !== undefined) return counts;
  }
  return undefined;
}

function isLastCounts(value: unknown): value is LastCounts {
  return typeof value === 'object' && value !== null && 'traffic' in value && 'since' in value && 'seenAt' in value;
}
