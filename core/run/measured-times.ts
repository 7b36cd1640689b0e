import { type LearnedTimes, maxLearned } from '../schedule/needed-time.ts';
import type { NodeStatus } from '../status/status.ts';

/** How long the nodes of a run took from their exclusion until their instances were gone, ms, by each kind of load balancer of their pool. */
export function measureTimes(nodes: readonly NodeStatus[], kinds: readonly string[]): LearnedTimes {
  const durations = nodes.flatMap(({ evidence }) => {
    const excluded = evidence.findLast(({ kind }) => kind === 'excluded');
    const terminated = evidence.findLast(({ kind }) => kind === 'terminated');
    return excluded === undefined || terminated === undefined || terminated.at < excluded.at
      ? []
      : [terminated.at - excluded.at];
  });
  if (durations.length === 0) return {};
  return Object.fromEntries(kinds.map((kind) => [kind, durations.slice(-maxLearned)]));
}
