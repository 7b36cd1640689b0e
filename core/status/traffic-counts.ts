import type { ProbeLosses } from './probe-losses.ts';

/** A period without a monitor, epoch ms. */
interface UnwatchedPeriod {
  readonly from: number;
  readonly to: number;
}

/** What the traffic monitor counted. */
export interface TrafficCounts {
  readonly sent: number;
  readonly lost: number;
  readonly slow: number;
  /** What each probe has lost, only probes with losses; absent when there are none. */
  readonly losses?: readonly ProbeLosses[];
  /** Time in which the run was under way and no probe was sent, ms; absent when there was none. */
  readonly unwatchedMs?: number;
  /** When that was; the latest period if there were several. */
  readonly unwatched?: readonly UnwatchedPeriod[];
}
