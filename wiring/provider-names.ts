/** Providers of node pools by name, as in `spec.pool.provider` and `--provider`. Loads nothing of any cloud. */
export const providerNames = ['eks', 'gke', 'none'] as const;

/** Name of a provider. */
export type ProviderName = (typeof providerNames)[number];
