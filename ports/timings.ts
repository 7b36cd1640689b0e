import type { LearnedTimes } from '../core/schedule/needed-time.ts';

/** What earlier runs on a cluster have learned about durations, where every worker finds it. Every call may be repeated. Throws NodeferryError. */
export interface Timings {
  /** Nothing when nothing was learned yet, or when it may not be read. */
  read(): Promise<LearnedTimes>;
  /** Adds durations of a run, once per run, however often it is called. Does nothing when it may not write. */
  record(run: string, added: LearnedTimes): Promise<void>;
}
