/** A provider that no product has: what an upgrade needs of a provider is in its adapter and its traits, and nowhere else. */
import type { NodePools } from '../../ports/node-pools.ts';
import type { ProviderTraits } from '../../ports/provider.ts';

/** What toys are like. */
export const toyTraits: ProviderTraits = {
  title: 'Toy Cloud',
  hasPools: true,
  regionVariables: [],
  scalingHint: 'Wind it up.',
  terminateByHand: (_pool, { instanceId }) => `toy break ${instanceId}`,
  listPools: ({ cluster }) => `toy pools ${cluster}`,
};

/** Pools as those of another provider, with its own word for what was suspended: nobody else reads it. */
export function createToyPools(pools: NodePools): NodePools {
  return {
    ...pools,
    suspendScaling: async (ref) => {
      const entries = await pools.suspendScaling(ref);
      return entries.length === 0 ? [] : [JSON.stringify(entries)];
    },
    restoreScaling: async (ref, suspended) =>
      await pools.restoreScaling(
        ref,
        suspended.flatMap((token) => JSON.parse(token) as string[]),
      ),
  };
}
