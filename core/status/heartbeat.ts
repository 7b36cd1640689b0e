import type { BlockedSince } from './blocked.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** What a running step is doing right now: the heartbeat details of every waiting activity. Plain data. */
export interface Heartbeat {
  /** What is waited for, with names and figures. */
  readonly reason: string;
  /** Epoch ms: when the step began to wait, and its deadline. */
  readonly since: number;
  readonly until: number | undefined;
  /** Epoch ms of the last observation that succeeded. */
  readonly seenAt?: number;
  readonly blocked?: readonly BlockedSince[];
  /** What somebody has to change: the wait does not end by itself. */
  readonly remedy?: string;
  readonly traffic?: TrafficCounts;
  /** What the next attempt needs to continue where this one stopped, read by core/status/checkpoint.ts. Readers ignore it. */
  readonly checkpoint?: object;
}
