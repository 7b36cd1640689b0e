/** The instances that a run requested and terminated. */
interface InstanceTime {
  /** Each request for new instances: when (epoch ms), and how many. */
  readonly requested: readonly { readonly at: number; readonly instances: number }[];
  /** All nodes of the run. The evidence of a terminated node has its time. */
  readonly nodes: readonly { readonly evidence: readonly { readonly kind: string; readonly at: number }[] }[];
  /** End of the run, epoch ms. */
  readonly until: number;
}

/**
 * Instance time, in minutes, that a run cost in addition to what its pool costs anyway. Every new instance counts from its request to the
 * end of the run. Every terminated instance is subtracted from its termination to the end of the run.
 */
export function instanceMinutes({ requested, nodes, until }: InstanceTime): number {
  const added = requested.reduce((sum, { at, instances }) => sum + instances * (until - at), 0);
  const ended = nodes
    .flatMap(({ evidence }) => evidence.find(({ kind }) => kind === 'terminated') ?? [])
    .reduce((sum, { at }) => sum + (until - at), 0);
  return Math.max(0, Math.round((added - ended) / 6_000) / 10);
}
