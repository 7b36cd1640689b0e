import type { PoolLabels } from '../core/model/node.ts';

/** The labels that a provider sets on nodes, and what they say. Pure. */
export interface ProviderNodeLabels extends PoolLabels {
  /** Whether a node with these labels was made for one pod and has no instance. */
  readonly isMadeForOnePod: (labels: Readonly<Record<string, string>>) => boolean;
}
