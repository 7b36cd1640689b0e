/** The traffic counts of a run over consecutive monitors, and when a monitor reports them. */
import { lostByUs } from './losses.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** Time between two heartbeats, and until the next monitor or worker takes over, that does not count as a gap, ms. */
const minPeriodMs = 5_000;

/** At most this many gaps are reported with their times, the latest. */
const maxPeriods = 10;

/** Adds what a monitor has counted to what those before it had. */
export function addCounts(
  before: TrafficCounts,
  { sent, lost, slow }: Pick<TrafficCounts, 'sent' | 'lost' | 'slow'>,
): TrafficCounts {
  return { ...before, sent: before.sent + sent, lost: before.lost + lost, slow: before.slow + slow };
}

/** Adds a period without a monitor. A monitor that follows another at once leaves none. */
export function addUnwatchedPeriod(counts: TrafficCounts, from: number | undefined, to: number): TrafficCounts {
  if (from === undefined || to - from <= minPeriodMs) return counts;
  const unwatched = [...(counts.unwatched ?? []), { from, to }].slice(-maxPeriods);
  return { ...counts, unwatchedMs: (counts.unwatchedMs ?? 0) + to - from, unwatched };
}

/** The later of two counts of the same run: counts only ever rise. */
export function maxCounts(one: TrafficCounts, other: TrafficCounts): TrafficCounts {
  return other.sent >= one.sent ? other : one;
}

/** Interval, ms, at which a monitor reports at least, at the beginning of a run. */
const firstReportMs = 5 * 60_000;

/** Later it reports whenever the run has become longer by this share. */
const reportShare = 1 / 12;

/** Losses after the first are reported this many times as often. */
const lossesPerReport = 5;

/**
 * The time, ms, after which a monitor reports its counts, by the age of the run. Each report costs six events of the run's history: a run of an
 * hour has 12 of them, one of a day 50.
 */
export function reportIntervalMs(ageMs: number): number {
  return Math.max(firstReportMs, ageMs * reportShare);
}

/** What a monitor knows when it decides whether to report. */
export interface MonitorQuestion {
  readonly counts: TrafficCounts;
  /** What the run knows already. */
  readonly known: TrafficCounts;
  /** The run pauses when it may have caused more losses than this. Undefined while it has paused for that already. */
  readonly budget: number | undefined;
  /** Since the monitor began, ms. */
  readonly elapsedMs: number;
  /** See reportIntervalMs. Undefined without probes, because there is nothing to report. */
  readonly reportIntervalMs: number | undefined;
}

/** Whether the monitor reports now, and why. The first loss is reported at once. */
export function decideAnswer(question: MonitorQuestion): 'budget-exceeded' | 'counted' | undefined {
  const { counts, known, budget, elapsedMs, reportIntervalMs: afterMs } = question;
  if (budget !== undefined && lostByUs(counts) > budget) return 'budget-exceeded';
  if (afterMs === undefined) return undefined;
  const lossAfterMs = known.lost === 0 ? 0 : afterMs / lossesPerReport;
  const isDue = elapsedMs >= afterMs || (counts.lost > known.lost && elapsedMs >= lossAfterMs);
  return isDue ? 'counted' : undefined;
}
