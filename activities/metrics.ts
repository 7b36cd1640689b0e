/**
 * What activities measure. Only they emit: workflow code runs again in replays. Tags that the SDK adds by itself: namespace, task queue,
 * type of the activity.
 */
import { Context } from '@temporalio/activity';
import type { PodActionResult } from '../core/eviction/actions.ts';
import { refusalReasonOf } from '../core/guard/refusal-reason.ts';
import type { GuardDecision } from '../core/guard/select-candidate.ts';
import { type MetricName, metricOf, type TagsOf } from '../core/status/metrics.ts';
import type { ProbeCounts, TrafficWatch } from '../ports/traffic.ts';

/** Adds to a counter; `value` is not negative. */
export function count<Name extends MetricName<'counter'>>(name: Name, tags: TagsOf<Name>, value = 1): void {
  const { unit, description } = metricOf(name);
  Context.current().metricMeter.createCounter(name, unit, description).add(value, tags);
}

/** Adds to, or takes from, a number that goes up and down. */
export function adjust<Name extends MetricName<'up-down-counter'>>(
  name: Name,
  tags: TagsOf<Name>,
  value: number,
): void {
  const { unit, description } = metricOf(name);
  Context.current().metricMeter.createUpDownCounter?.(name, unit, description).add(value, tags);
}

/** Records one value of a distribution, in the unit of the metric; not negative. */
export function record<Name extends MetricName<'histogram'>>(name: Name, tags: TagsOf<Name>, value: number): void {
  const { unit, description } = metricOf(name);
  Context.current().metricMeter.createHistogram(name, 'float', unit, description).record(value, tags);
}

/** Counts a decision of the guard if it allows no node. */
export function countGuardRefusal(decision: GuardDecision): void {
  const reason = refusalReasonOf(decision);
  if (reason !== undefined) count('nodeferry_guard_refusals', { reason });
}

/** Counts what an action on a pod came to if the API server refused it. */
export function countEvictionRefusal(result: PodActionResult): void {
  if (result.outcome === 'blocked') count('nodeferry_evictions_refused', { reason: result.by });
  if (result.outcome === 'impossible') count('nodeferry_evictions_refused', { reason: 'impossible' });
}

/** The same watch, whose requests are counted by probe whenever it is asked for its counts. */
export function measureTraffic(watch: TrafficWatch): TrafficWatch {
  let counted: Pick<ProbeCounts, 'sentBy' | 'lostBy'> = { sentBy: {}, lostBy: {} };
  const emit = (counts: ProbeCounts): ProbeCounts => {
    for (const [probe, sent] of Object.entries(counts.sentBy)) {
      count('nodeferry_requests_sent', { probe }, sent - (counted.sentBy[probe] ?? 0));
      count('nodeferry_requests_lost', { probe }, (counts.lostBy[probe] ?? 0) - (counted.lostBy[probe] ?? 0));
    }
    counted = counts;
    return counts;
  };
  return { counts: () => emit(watch.counts()), stop: async () => emit(await watch.stop()) };
}
