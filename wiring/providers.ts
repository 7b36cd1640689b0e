import { createEksNodePools } from '../adapters/eks/node-pools.ts';
import { eksTraits } from '../adapters/eks/traits.ts';
import { createNoNodePools } from '../adapters/no-provider/node-pools.ts';
import { noProviderTraits } from '../adapters/no-provider/traits.ts';
import { poolsByProvider } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePools } from '../ports/node-pools.ts';
import type { ProviderPools, ProviderTraits } from '../ports/provider.ts';
import type { ProviderName } from './provider-names.ts';

/** A provider as the product uses it. */
interface Provider {
  readonly traits: ProviderTraits;
  readonly open: (options: { readonly clock: Clock }) => NodePools;
}

/** All providers: the only place that knows which name stands for which adapter. Adding one takes a name, a line here, and its node labels. */
const providers: Readonly<Record<ProviderName, Provider>> = {
  eks: { traits: eksTraits, open: createEksNodePools },
  none: { traits: noProviderTraits, open: createNoNodePools },
};

/** The node pools of all providers. Nothing is connected before the first call. */
export function openNodePools(options: { readonly clock: Clock }): ProviderPools {
  const opened = Object.entries(providers).map(([name, { traits, open }]) => [name, { traits, pools: open(options) }]);
  return poolsByProvider(Object.fromEntries(opened));
}

/** Region of a cluster as the environment names it, for the providers that need one. */
export function regionFromEnvironment(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variables = Object.values(providers).flatMap(({ traits }) => traits.regionVariables);
  return variables.map((name) => env[name]).find((region) => region !== undefined && region !== '');
}
