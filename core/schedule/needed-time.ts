import { formatDuration } from '../text/format.ts';

/** What is about to start: new nodes (then pods, then a batch of old nodes), the surge of pods (then a batch), or just a batch. */
export type WindowWork = 'nodes' | 'pods' | 'batch';

/** How long waves and batches of a pool are expected to take, from its plan, ms. */
export interface ExpectedTimes {
  /** From the request of new nodes until they are registered with their load balancers. */
  readonly bootMs: number;
  /** From the release of pods until their replacements serve; 0 without pod surge. */
  readonly podSurgeMs: number;
  /** From the exclusion of a node until its instance is gone. */
  readonly batchMs: number;
  /** The kinds of load balancers that send to the pool, in the words of `timingKind`. */
  readonly kinds: readonly string[];
}

/** How long the nodes of earlier runs took from their exclusion until their instances were gone, ms, by kind of load balancer. */
export type LearnedTimes = Readonly<Record<string, readonly number[]>>;

/** A duration, ms, and where it comes from. */
export interface NeededTime {
  readonly ms: number;
  readonly source: string;
}

/** Fewer nodes than this say too little about the slowest of them. */
const minLearned = 5;

/** How many durations of a kind are kept: the latest. */
export const maxLearned = 100;

/** An estimate of the plan is multiplied by this, because it assumes the usual times of a cloud. */
const estimateMargin = 1.5;

/**
 * The time that must be left in an upgrade window for this work. The part from exclusion to termination is the 95th percentile of what nodes
 * behind the same kinds of load balancers took in earlier runs, the slowest kind counting; before enough is known of each kind, the
 * estimate of the plan with a margin of half. The time until new nodes and surged pods serve is always the estimate with that margin.
 */
export function neededTime(work: WindowWork, expected: ExpectedTimes, learned: LearnedTimes): NeededTime {
  const known = expected.kinds.map((kind) => learned[kind] ?? []);
  const isLearned = known.length > 0 && known.every((durations) => durations.length >= minLearned);
  const batchMs = isLearned
    ? Math.max(...known.map((durations) => percentile95(durations)))
    : estimateMargin * expected.batchMs;
  const bootMs = work === 'nodes' ? expected.bootMs : 0;
  const podSurgeMs = work === 'batch' ? 0 : expected.podSurgeMs;
  const ms = Math.ceil(batchMs + estimateMargin * (bootMs + podSurgeMs));
  const nodes = known.reduce((sum, durations) => sum + durations.length, 0);
  const source = isLearned ? `learned from ${nodes} nodes` : 'estimated by the plan, with a margin';
  return { ms, source: `${formatDuration(ms)}, ${source}` };
}

/** Adds durations of a run; of each kind the latest are kept. */
export function learnTimes(known: LearnedTimes, added: LearnedTimes): LearnedTimes {
  const kinds = [...new Set([...Object.keys(known), ...Object.keys(added)])].toSorted();
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...(known[kind] ?? []), ...(added[kind] ?? [])].slice(-maxLearned)]),
  );
}

/** The smallest duration that at least 95 % of them do not exceed. */
function percentile95(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}
