import type { InstanceFacts, PoolFacts, PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ManagedNodePools } from '../../ports/node-pools.ts';
import { entriesOf, tokenOf } from '../support/suspension.ts';
import { createPool, grow, growBack, requireWhole } from './pool-creation.ts';
import { allowLaunching, changedByRun, explainHeld, hold, release, trimPool } from './pool-suspension.ts';
import { deletePool, poolNamed, terminateAfterHook } from './pools.ts';
import type { SimInstance, SimPool, World } from './world.ts';

/** The cluster of a simulated world; tests add a suffix to this name, to distinguish their runs. */
const cluster = 'sim';

/** The pools of the world, as a cloud's API returns them. */
export function createSimPools(world: World): ManagedNodePools {
  const find = (ref: PoolRef): SimPool | undefined => {
    if (ref.cluster.startsWith(cluster)) return world.pools.find((pool) => pool.name === ref.name);
    throw new NodeferryError({ code: 'PoolNotFound', message: `cluster ${ref.cluster} does not exist` });
  };
  const need = (ref: PoolRef): SimPool => find(ref) ?? poolNamed(world, ref.name);
  return {
    describePool: async (ref) => poolFacts(world, ref, need(ref)),
    findPool: async (ref) => {
      const pool = find(ref);
      return pool && poolFacts(world, ref, pool);
    },
    observeInstances: async (ref) => membersOf(world, need(ref)),
    terminateInstance: async (ref, instanceId) => {
      const instance = world.instances.find((one) => one.instanceId === instanceId);
      if (instance === undefined || isLeaving(instance)) return { outcome: 'already' };
      if (instance.pool !== ref.name) {
        throw new NodeferryError({ code: 'NotOwned', message: `${instanceId} belongs to ${instance.pool}` });
      }
      lowerMinSize(need(ref));
      delete instance.unnoticed;
      terminateAfterHook(world, need(ref), instance);
      return { outcome: 'terminating' };
    },
    observeInstance: async (_ref, instanceId) => {
      const instance = world.instances.find((one) => one.instanceId === instanceId);
      return instance?.isHeld === true ? 'terminating' : (instance?.state ?? 'terminated');
    },
    replacement: {
      findReplacements: async (ref) =>
        world.pools
          .filter(({ replaces }) => replaces === ref.name)
          .map((pool) => poolFacts(world, { ...ref, name: pool.name }, pool)),
      requireMayCreate: async ({ source }) => {
        if (!world.faults.mayNotLaunch) return;
        throw new NodeferryError({ code: 'Forbidden', message: `${source.name}: we may not launch instances` });
      },
      createPool: async ({ source, ...request }) => {
        const existing = find({ ...source, name: request.target.poolName });
        if (existing === undefined) createPool(world, need(source), request);
        else requireWhole(existing, request.run);
      },
      resize: async (ref, { size, run }) => {
        const pool = need(ref);
        requireCreator(pool, run);
        grow(world, pool, size);
      },
      deletePool: async (ref, { onlyIfCreatedBy }) => {
        const pool = find(ref);
        if (pool?.status === 'deleting') return;
        if (pool !== undefined) {
          if (onlyIfCreatedBy === undefined) requireEmpty(world, pool);
          else requireCreator(pool, onlyIfCreatedBy);
        }
        if (onlyIfCreatedBy === undefined) endReplacement(world, ref);
        if (pool !== undefined) deletePool(world, pool);
      },
    },
    size: {
      restoreSize: async (ref, { size }) => {
        const pool = need(ref);
        allowLaunching(pool);
        growBack(world, pool, size);
      },
      trimPool: async (ref) => trimPool(need(ref), membersOf(world, need(ref))),
    },
    scaling: {
      suspend: async (ref) => tokenOf(...hold(need(ref))),
      restore: async (ref, token) => {
        const pool = find(ref);
        return pool === undefined ? [] : release(pool, entriesOf(token), membersOf(world, pool));
      },
    },
  };
}

function poolFacts(world: World, ref: PoolRef, pool: SimPool): PoolFacts {
  const { name, status, version, desiredSize, minSize, maxSize, zones, labels, problems, createdBy } = pool;
  const changed = changedByRun(pool);
  return {
    ref,
    status,
    version,
    desiredSize,
    minSize: Math.min(minSize, pool.ownersMinSize ?? minSize, desiredSize),
    maxSize,
    zones,
    problems,
    labels: { ...labels, 'eks.amazonaws.com/nodegroup': name },
    instances: membersOf(world, pool),
    ...(changed === undefined ? {} : { suspended: { token: tokenOf(...changed), what: explainHeld(changed) } }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
}

/** Instances as Auto Scaling knows them. One that others terminated still counts as running, until that is noticed and it is replaced. */
function membersOf(world: World, pool: SimPool): InstanceFacts[] {
  return world.instances
    .filter((one) => one.pool === pool.name && (one.state !== 'terminated' || one.unnoticed === true))
    .map(({ instanceId, zone, state, unnoticed, isHeld }) => ({
      instanceId,
      zone,
      state: unnoticed === true ? 'running' : isHeld === true ? 'terminating' : state,
    }));
}

function isLeaving({ state, unnoticed, isHeld }: SimInstance): boolean {
  return isHeld === true || ((state === 'terminating' || state === 'terminated') && unnoticed !== true);
}

/** One instance fewer. Auto Scaling refuses to go below the minimum; only a pool that a run created lowers it automatically. */
function lowerMinSize(pool: SimPool): void {
  if (pool.desiredSize <= pool.minSize) {
    if (pool.createdBy === undefined) {
      throw new NodeferryError({
        code: 'ProviderRefused',
        message: `node group ${pool.name} has its minimum of ${pool.minSize} instances`,
        hint: 'Suspend scaling first.',
      });
    }
    pool.minSize = Math.max(0, Math.min(pool.ownersMinSize ?? pool.minSize, pool.desiredSize - 1));
  }
  pool.desiredSize -= 1;
}

/** The pools that replace this one may shrink again as their owner chose. */
function endReplacement(world: World, ref: PoolRef): void {
  for (const pool of world.pools)
    if (pool.replaces === ref.name && pool.ownersMinSize !== undefined) release(pool, [], membersOf(world, pool));
}

function requireEmpty(world: World, pool: SimPool): void {
  const left = membersOf(world, pool).filter(({ state }) => state === 'pending' || state === 'running');
  if (left.length === 0) return;
  const ids = left.map(({ instanceId }) => instanceId).join(', ');
  throw new NodeferryError({ code: 'ProviderRefused', message: `node group ${pool.name} still has ${ids}` });
}

function requireCreator(pool: SimPool, run: string): void {
  if (pool.createdBy === run) return;
  throw new NodeferryError({ code: 'NotOwned', message: `node group ${pool.name} was not created by ${run}` });
}
