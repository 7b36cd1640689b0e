import { hasFence, mayFence } from '../../core/model/fencing-token.ts';
import type { PoolLock } from '../../core/model/pool-lock.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { World } from './world.ts';

/** Namespace of the Leases, as deploy/rbac has it. */
const namespace = 'nodeferry';

/** The locks of the Cluster port, kept as Leases are. */
export function createSimLocks(
  world: World,
): Pick<
  Cluster,
  | 'acquireLock'
  | 'renewLock'
  | 'releaseLock'
  | 'requireLock'
  | 'fenceLock'
  | 'findIncomingPools'
  | 'findRunsMovingTo'
  | 'findHolder'
  | 'findLocks'
> {
  const held = (lock: PoolLock) => {
    const lease = world.leases.get(lock.name);
    return lease?.holder === lock.holder && lease.token === lock.token ? lease : undefined;
  };
  return {
    acquireLock: async (name, holder, durationMs, incomingPool) => {
      const lease = world.leases.get(name);
      const now = world.clock.now();
      if (lease !== undefined && lease.holder !== holder && lease.expiresAt > now) {
        throw new NodeferryError({ code: 'LockHeld', message: `lease ${name} is held by ${lease.holder}` });
      }
      const token = lease?.holder === holder ? lease.token : (lease?.token ?? 0) + 1;
      const incoming = incomingPool === undefined ? {} : { incomingPool };
      world.leases.set(name, { ...lease, ...incoming, holder, token, expiresAt: now + durationMs });
      return { name, holder, token };
    },
    renewLock: async (lock, durationMs) => {
      world.faults.onRenewal(lock.name);
      const lease = held(lock);
      if (lease === undefined) throw lockLost(world, lock.name);
      lease.expiresAt = world.clock.now() + durationMs;
    },
    releaseLock: async (lock) => {
      if (held(lock) !== undefined) world.leases.delete(lock.name);
    },
    requireLock: async (name, holder) => {
      if (world.leases.get(name)?.holder !== holder) throw lockLost(world, name);
    },
    fenceLock: async (name, fence) => {
      const lease = world.leases.get(name);
      if (lease?.holder !== fence.run) throw lockLost(world, name);
      if (!mayFence(fence, lease.fence))
        throw new NodeferryError({ code: 'Superseded', message: `lease ${name} is fenced by a later attempt` });
      if (!hasFence(fence, lease.fence)) lease.fence = fence;
    },
    findIncomingPools: async () => [...world.leases.values()].flatMap(({ incomingPool }) => incomingPool ?? []),
    findRunsMovingTo: async (pool) =>
      [...world.leases.values()].flatMap(({ incomingPool, holder }) => (incomingPool === pool ? [holder] : [])),
    findHolder: async (name) => world.leases.get(name)?.holder,
    findLocks: async (run) => locksOf(world, run),
  };
}

/** Locks of a run, as text. */
export function leftoverLocksOf(world: World, run: string): readonly string[] {
  return locksOf(world, run).map(({ name }) => `lease ${namespace}/${name}`);
}

function locksOf(world: World, run: string): PoolLock[] {
  return [...world.leases]
    .filter(([, { holder }]) => holder.split('/').includes(run))
    .map(([name, { holder, token }]) => ({ name, holder, token }));
}

function lockLost(world: World, name: string): NodeferryError {
  const lease = world.leases.get(name);
  const now = lease === undefined ? 'it is gone' : `${lease.holder} holds it (token ${lease.token})`;
  return new NodeferryError({ code: 'LockLost', message: `lease ${name} is lost: ${now}` });
}
