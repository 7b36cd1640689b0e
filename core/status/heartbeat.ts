import type { BlockedSince } from './blocked.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** What a running step is doing right now: the heartbeat details of every waiting activity. Plain data. */
export interface Heartbeat {
  /** What is waited for, with names and figures. */
  readonly reason: string;
  /** Epoch ms: when the step began to wait, and when it gives up. */
  readonly since: number;
  readonly until: number | undefined;
  /** Epoch ms of the last look that saw anything. */
  readonly seenAt?: number;
  readonly blocked?: readonly BlockedSince[];
  readonly traffic?: TrafficCounts;
  /** What the next attempt needs to go on where this one stood, read by core/status/checkpoint.ts; of no interest to readers. */
  readonly checkpoint?: object;
}
