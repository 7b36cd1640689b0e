import { eksTraits } from '../adapters/eks/traits.ts';
import { gkeTraits } from '../adapters/gke/traits.ts';
import { noProviderTraits } from '../adapters/no-provider/traits.ts';
import type { ProviderTraits } from '../ports/provider.ts';
import type { ProviderName } from './provider-names.ts';

/** What each provider is like. Loads nothing of any cloud. */
export const providerTraits: Readonly<Record<ProviderName, ProviderTraits>> = {
  eks: eksTraits,
  gke: gkeTraits,
  none: noProviderTraits,
};
