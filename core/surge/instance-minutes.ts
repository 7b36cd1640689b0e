import type { NodeStatus } from '../status/status.ts';

/** What came and went beyond the pool's own machines during a run. */
export interface InstanceTime {
  /** When (epoch ms) how many new machines were asked for. */
  readonly requested: readonly { readonly at: number; readonly instances: number }[];
  /** All nodes of the run; those that were terminated tell when. */
  readonly nodes: readonly Pick<NodeStatus, 'evidence'>[];
  /** Epoch ms of the run's end. */
  readonly until: number;
}

/**
 * Machine time that a run cost beyond what its pool costs anyway, minutes: every new machine from when it was asked for, less every one
 * that ended from then on.
 */
export function instanceMinutes({ requested, nodes, until }: InstanceTime): number {
  const added = requested.reduce((sum, { at, instances }) => sum + instances * (until - at), 0);
  const ended = nodes
    .flatMap(({ evidence }) => evidence.find(({ kind }) => kind === 'terminated') ?? [])
    .reduce((sum, { at }) => sum + (until - at), 0);
  return Math.max(0, Math.round((added - ended) / 6_000) / 10);
}
