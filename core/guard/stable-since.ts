import type { WaitPolicy } from '../policy/policy.ts';

/** Since when (epoch ms) every observation has found that a node may be excluded, by node name. Plain data. */
export type StableSince = Readonly<Record<string, number>>;

/** One more observation: nodes that may be excluded keep their time, or begin it; the others lose it. */
export function extend(known: StableSince, mayGo: readonly string[], now: number): StableSince {
  return Object.fromEntries(mayGo.map((name) => [name, known[name] ?? now]));
}

/** How often a run observes. */
export type ObservationTimes = Pick<WaitPolicy, 'stabilizationMs' | 'pollIntervalMs'>;

/**
 * The longest time, ms, between two observations that follow each other. They do at the poll interval, and something may be done in between; after a
 * longer gap nobody knows what was in it.
 */
export function maxGapMs({ stabilizationMs, pollIntervalMs }: ObservationTimes): number {
  return stabilizationMs + 2 * pollIntervalMs;
}

/** Whether an observation that begins at `now` (epoch ms) follows the one made at `before`. */
export function followsOn(before: number, now: number, times: ObservationTimes): boolean {
  return now - before <= maxGapMs(times);
}

/** An observation that says no: the time of the node begins again. */
export function reset(known: StableSince, node: string): StableSince {
  return Object.fromEntries(Object.entries(known).filter(([name]) => name !== node));
}

/** Whether observations have agreed on the node for this long, ms. One observation alone is never enough: it may show a moment that has passed. */
export function isStable(stableSince: StableSince, node: string, now: number, stabilizationMs: number): boolean {
  const since = stableSince[node];
  return since !== undefined && since < now && now - since >= stabilizationMs;
}
