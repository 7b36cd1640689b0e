import { once } from '../adapters/calls/once.ts';
import { eksNodeLabels } from '../adapters/eks/node-labels.ts';
import { eksTraits } from '../adapters/eks/traits.ts';
import { gkeNodeLabels } from '../adapters/gke/node-labels.ts';
import { gkeTraits } from '../adapters/gke/traits.ts';
import { createNoNodePools } from '../adapters/no-provider/node-pools.ts';
import { noProviderTraits } from '../adapters/no-provider/traits.ts';
import { loadPools } from '../operations/load-pools.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderNodeLabels } from '../ports/node-labels.ts';
import type { NodePoolProvider } from '../ports/node-pools.ts';
import type { ProviderTraits } from '../ports/provider.ts';
import { openGkePools } from './gke-pools.ts';
import type { GoogleSettings } from './google-settings.ts';

/** What node pools are opened with. */
interface OpenOptions {
  readonly clock: Clock;
  readonly google: GoogleSettings;
}

/** A provider of node pools. */
interface Provider {
  readonly traits: ProviderTraits;
  /** The labels by which its nodes are recognized. Absent where nodes have none. */
  readonly nodeLabels?: ProviderNodeLabels;
  /** Connects nothing before the first call. */
  readonly open: (options: OpenOptions) => NodePoolProvider;
}

/** Name of a provider, as in `spec.pool.provider` and `--provider`. */
export type ProviderName = 'eks' | 'gke' | 'none';

/**
 * All providers by name: the only place that knows which name stands for which adapter. Of several whose labels a node has, the first counts. What
 * adding one takes is in CONTRIBUTING.md.
 */
export const providers: Readonly<Record<ProviderName, Provider>> = {
  eks: { traits: eksTraits, nodeLabels: eksNodeLabels, open: openEksPools },
  gke: { traits: gkeTraits, nodeLabels: gkeNodeLabels, open: openGkePools },
  none: { traits: noProviderTraits, open: createNoNodePools },
};

/** The one that is meant where nothing says another. */
export const usualProvider: ProviderName = 'eks';

/** The names of all. */
export const providerNames = Object.keys(providers) as readonly ProviderName[];

/** Node pools of EKS. Their SDK is loaded at the first call: nobody on another cloud waits for it. */
function openEksPools({ clock }: Pick<OpenOptions, 'clock'>): NodePoolProvider {
  return loadPools(once(async () => (await import('../adapters/eks/node-pools.ts')).createEksNodePools({ clock })));
}
