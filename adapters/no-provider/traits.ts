import type { ProviderTraits } from '../../ports/provider.ts';

const nothing = {
  message: 'no cloud is known that could change its nodes',
  hint: 'Drain the nodes without terminating them, and remove the instances yourself.',
};

/** What it is like without a cloud. */
export const noProviderTraits: ProviderTraits = {
  title: 'no cloud',
  hasPools: false,
  regionVariables: [],
  lacks: { replacement: nothing, size: nothing, inPlace: nothing },
  spread: (wanted) => wanted,
  grows: (wanted) => wanted,
  scalingHint: 'Nothing can be scaled without a cloud.',
  // Nothing but the Node object tells that an instance exists.
  terminateByHand: (_pool, { name }) => `switch it off, then: kubectl delete node ${name}`,
  listPools: () => 'kubectl get nodes --show-labels',
};
