/** What is counted of a run's traffic over watches that follow one another, and when a watch tells it. */
import { lostByUs } from './losses.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** What passes between two heartbeats, and until the next watch or worker takes over, is no gap, ms. */
const minPeriodMs = 5_000;

/** So many gaps are told with their times, the latest. */
const maxPeriods = 10;

/** What a watch has counted, on top of what those before it had. */
export function addCounts(
  before: TrafficCounts,
  { sent, lost, slow }: Pick<TrafficCounts, 'sent' | 'lost' | 'slow'>,
): TrafficCounts {
  return { ...before, sent: before.sent + sent, lost: before.lost + lost, slow: before.slow + slow };
}

/** Adds a time in which nobody watched; one watch that follows another at once leaves none. */
export function addGap(counts: TrafficCounts, from: number | undefined, to: number): TrafficCounts {
  if (from === undefined || to - from <= minPeriodMs) return counts;
  const unwatched = [...(counts.unwatched ?? []), { from, to }].slice(-maxPeriods);
  return { ...counts, unwatchedMs: (counts.unwatchedMs ?? 0) + to - from, unwatched };
}

/** The later of two counts of the same run: they only ever rise. */
export function maxCounts(one: TrafficCounts, other: TrafficCounts): TrafficCounts {
  return other.sent >= one.sent ? other : one;
}

/** A watch answers at least so often at the beginning of a run, ms. */
const firstReportMs = 5 * 60_000;

/** Later it answers whenever the run has become longer by this share. */
const reportShare = 1 / 12;

/** Losses after the first are told that much more often. */
const lossesPerReport = 5;

/**
 * After which time, ms, a watch answers what it has counted, by the age of the run. Each answer costs six events of the run's history: a
 * run of an hour has 12 of them, one of a day 50.
 */
export function reportIntervalMs(ageMs: number): number {
  return Math.max(firstReportMs, ageMs * reportShare);
}

/** What a watch knows when it decides whether to answer. */
export interface WatchQuestion {
  readonly counts: TrafficCounts;
  /** What the run knows already. */
  readonly known: TrafficCounts;
  /** The run pauses when more than that is lost that can be its doing; undefined while it has paused for that already. */
  readonly budget: number | undefined;
  /** Since the watch began, ms. */
  readonly elapsedMs: number;
  /** See reportIntervalMs; undefined where there are no probes, and so nothing to tell. */
  readonly reportIntervalMs: number | undefined;
}

/** Whether the watch answers now, and with what; the first loss is told at once. */
export function decideAnswer(question: WatchQuestion): 'budget-exceeded' | 'counted' | undefined {
  const { counts, known, budget, elapsedMs, reportIntervalMs: afterMs } = question;
  if (budget !== undefined && lostByUs(counts) > budget) return 'budget-exceeded';
  if (afterMs === undefined) return undefined;
  const lossAfterMs = known.lost === 0 ? 0 : afterMs / lossesPerReport;
  const isDue = elapsedMs >= afterMs || (counts.lost > known.lost && elapsedMs >= lossAfterMs);
  return isDue ? 'counted' : undefined;
}
