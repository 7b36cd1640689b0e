import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { Outlook } from '../../core/status/outlook.ts';
import type { TrafficCounts } from '../../core/status/traffic-counts.ts';

/** What a watch had counted when it ended without an answer. */
export interface LastCounts {
  readonly traffic: TrafficCounts;
  /** Epoch ms: when it began, and when it saw anything last. */
  readonly since: number;
  readonly seenAt: number;
  readonly checkpoint?: { readonly outlook?: Outlook };
}

/**
 * Finds the tally of a watch in what it failed with: in the details of its own failure, or, when its workers died, in the last heartbeat
 * that the server has of it.
 */
export function lastCountsIn(error: unknown): LastCounts | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const told =
      cause instanceof TimeoutFailure
        ? [cause.lastHeartbeatDetails]
        : cause instanceof ApplicationFailure
          ? (cause.details ?? [])
          : [];
    const tally = told.find(isTally);
    if (tally !== undefined) return tally;
  }
  return undefined;
}

function isTally(told: unknown): told is LastCounts {
  return typeof told === 'object' && told !== null && 'traffic' in told && 'since' in told && 'seenAt' in told;
}
