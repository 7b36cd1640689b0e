/** A provider and load balancers that no product has: what an upgrade needs of them is in their adapters and traits, and nowhere else. */
import type { SuspensionToken } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { InPlace } from '../../ports/in-place.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../../ports/load-balancers.ts';
import type { InstanceRequest, NodePoolProvider } from '../../ports/node-pools.ts';
import type { ProviderTraits } from '../../ports/provider.ts';
import { grow } from './pool-creation.ts';
import { poolNamed } from './pools.ts';
import { createSimPools } from './pools-port.ts';
import type { SimInstance, SimPool, World } from './world.ts';

/** What toys are like. */
export const toyTraits: ProviderTraits = {
  title: 'Toy Cloud',
  hasPools: true,
  regionVariables: [],
  lacks: {},
  spread: (needs) => needs,
  grows: (needs) => needs,
  scalingHint: 'Wind it up.',
  terminateByHand: (_pool, { instanceId }) => `toy break ${instanceId}`,
  listPools: ({ cluster }) => `toy pools ${cluster}`,
};

/**
 * Pools as those of another provider, with what an upgrade needs besides the required core. It chooses zones, and has its own word for what was
 * suspended: nobody else reads it, and it is no list.
 */
export function createToyPools(world: World): NodePoolProvider {
  const { replacement, size, scaling, ...access } = createSimPools(world);
  return {
    ...access,
    replacement: {
      ...replacement,
      createPool: async (request) => {
        await replacement.createPool(request);
        chooseZones(world, request.target.poolName, request);
      },
      resize: async (ref, request) => {
        chooseZones(world, ref.name, request);
        await replacement.resize(ref, request);
      },
    },
    size: {
      ...size,
      restoreSize: async (ref, request) => {
        chooseZones(world, ref.name, request);
        await size.restoreSize(ref, request);
      },
    },
    inPlace: createToyInPlace(world),
    scaling: {
      suspend: async (ref) => ({ wound: JSON.stringify(await scaling.suspend(ref)) }) as unknown as SuspensionToken,
      restore: async (ref, token) => await scaling.restore(ref, token && unwind(token)),
    },
  };
}

function chooseZones(world: World, name: string, { zones }: InstanceRequest): void {
  if (zones !== undefined) poolNamed(world, name).needs = zones;
}

/** Anything else than its own word is a mistake of whoever kept it. */
function unwind(token: SuspensionToken): SuspensionToken {
  const { wound } = token as unknown as { wound?: string };
  if (wound === undefined) throw new Error(`not wound by a toy: ${JSON.stringify(token)}`);
  return JSON.parse(wound) as SuspensionToken;
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

/** A toy pool takes new instances of another kind beside its old ones. */
function createToyInPlace(world: World): InPlace {
  return {
    addInstances: async ({ name }, { target, size, run, old }) => {
      const pool = poolNamed(world, name);
      const living = world.instances.filter(
        (one) => one.pool === name && (one.state === 'pending' || one.state === 'running'),
      );
      if (pool.before?.run !== run) {
        requireUnchanged(pool, living, old);
        pool.before = { run, version: pool.version, maxSize: pool.maxSize };
        pool.version = target.version ?? pool.version;
      }
      grow(world, pool, living.filter(({ instanceId }) => old.includes(instanceId)).length + size);
    },
    settle: async ({ name }, { run, keep }) => {
      const pool = poolNamed(world, name);
      const { before } = pool;
      if (before?.run !== run) return;
      pool.maxSize = before.maxSize;
      if (!keep) pool.version = before.version;
      delete pool.before;
    },
  };
}

function requireUnchanged(pool: SimPool, living: readonly SimInstance[], old: readonly string[]): void {
  const others = living.filter(({ instanceId }) => !old.includes(instanceId)).map(({ instanceId }) => instanceId);
  if (pool.before === undefined && others.length === 0) return;
  const why = pool.before === undefined ? `${others.join(', ')} joined it` : `run ${pool.before.run} has changed it`;
  throw new NodeferryError({ code: 'PlanOutdated', message: `toy pool ${pool.name}: ${why}`, hint: 'Plan again.' });
}
