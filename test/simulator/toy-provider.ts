/** A provider and load balancers that no product has: what an upgrade needs of them is in their adapters and traits, and nowhere else. */
import type { LoadBalancerFamily, LoadBalancers } from '../../ports/load-balancers.ts';
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

/** How the provider IDs of nodes in that cloud begin. */
export const toyCloud = 'toy';

const toyKind = 'toy-chute';

/** Load balancers as those of another cloud, whose groups are of a kind of their own: nobody else knows the kind. */
export function createToyFamily(loadBalancers: LoadBalancers): LoadBalancerFamily {
  return {
    title: 'Toy Cloud',
    kinds: [toyKind],
    hasNode: (providerId) => providerId.startsWith(`${toyCloud}:`),
    claims: () => true,
    discover: async (services, options) => {
      const { groups, unsupported } = await loadBalancers.discover(services, options);
      return { groups: groups.map((group) => ({ ...group, kind: toyKind })), unsupported };
    },
    readTargets: async (groups, options) => {
      const foreign = groups.filter(({ kind }) => kind !== toyKind);
      if (foreign.length > 0) throw new Error(`not a chute: ${foreign.map(({ id }) => id).join(', ')}`);
      return await loadBalancers.readTargets(groups, options);
    },
  };
}
