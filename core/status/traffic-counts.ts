import type { ProbeLosses } from './probe-losses.ts';

/** A time in which nobody watched, epoch ms. */
export interface UnwatchedPeriod {
  readonly from: number;
  readonly to: number;
}

/** What the traffic watch counted. */
export interface TrafficCounts {
  readonly sent: number;
  readonly lost: number;
  readonly slow: number;
  /** What each probe has lost, of those that have lost any; absent when none has. */
  readonly losses?: readonly ProbeLosses[];
  /** Time in which no probe watched though the run went on, ms; absent when there was none. */
  readonly unwatchedMs?: number;
  /** When that was; the latest of several. */
  readonly unwatched?: readonly UnwatchedPeriod[];
}
