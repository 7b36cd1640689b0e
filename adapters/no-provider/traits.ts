import type { ProviderTraits } from '../../ports/provider.ts';

/** What it is like without a cloud. */
export const noProviderTraits: ProviderTraits = {
  title: 'no cloud',
  hasPools: false,
  regionVariables: [],
  scalingHint: 'Nothing can be scaled without a cloud.',
  // Nothing but the Node object tells that an instance exists.
  terminateByHand: (_pool, { name }) => `switch it off, then: kubectl delete node ${name}`,
  listPools: () => 'kubectl get nodes --show-labels',
};
