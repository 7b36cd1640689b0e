import { NodeferryError } from '../../core/model/problem.ts';
import type { PoolReplacement } from '../../ports/node-pools.ts';
import { ownersMinimum } from './pool-suspension.ts';
import { fillPool } from './pools.ts';
import { later, type SimPool, type World } from './world.ts';

type Request = Omit<Parameters<PoolReplacement['createPool']>[0], 'source'>;

/** Creates a pool like another one; its Auto Scaling group, and with it the first instance, comes a moment later. */
export function createPool(world: World, source: SimPool, { target, size, run }: Request): void {
  const pool: SimPool = {
    name: target.poolName,
    version: target.version ?? source.version,
    status: 'creating',
    desiredSize: size,
    minSize: size,
    ownersMinSize: ownersMinimum(source),
    maxSize: Math.max(source.maxSize, size, 1),
    zones: source.zones,
    labels: source.labels,
    createdBy: run,
    replaces: source.name,
    problems: [],
    suspended: [],
    scales: false,
  };
  world.pools.push(pool);
  later(world, world.delays.autoScalingGroup, () => {
    if (pool.status !== 'creating') return;
    pool.scales = true;
    fillPool(world, pool);
  });
  later(world, world.delays.poolCreationTimeout, () => {
    if (pool.status === 'creating') pool.status = 'failed';
  });
}

/** More instances, and none fewer. */
export function grow(world: World, pool: SimPool, size: number): void {
  pool.desiredSize = Math.max(pool.desiredSize, size);
  pool.maxSize = Math.max(pool.maxSize, size);
  if (pool.ownersMinSize !== undefined) pool.minSize = pool.desiredSize;
  if (pool.scales) fillPool(world, pool);
}

/** As many instances as before, if its maximum allows that. */
export function growBack(world: World, pool: SimPool, size: number): void {
  if (pool.status === 'deleting' || size > pool.maxSize) {
    const message = `node group ${pool.name} is ${pool.status} and can have ${pool.maxSize} instances, not ${size}`;
    throw new NodeferryError({ code: 'ProviderRefused', message });
  }
  pool.desiredSize = Math.max(pool.desiredSize, size);
  fillPool(world, pool);
}

/** A pool is complete when all its instances are Ready nodes. */
export function completePools(world: World): void {
  for (const pool of world.pools) {
    if (pool.status !== 'creating' || !pool.scales) continue;
    const nodes = world.nodes.filter((node) => node.pool === pool.name && node.ready);
    if (nodes.length >= pool.desiredSize) pool.status = 'active';
  }
}

/** An existing pool will do when this run created it and it can still become complete. */
export function requireWhole(existing: SimPool, run: string): void {
  if (existing.createdBy !== run) {
    const whose =
      existing.createdBy === undefined ? 'not created by nodeferry' : `created by run ${existing.createdBy}`;
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `node group ${existing.name} exists already and was ${whose}`,
      hint: 'Choose another target.poolName.',
    });
  }
  if (existing.status !== 'failed' && existing.status !== 'deleting') return;
  throw new NodeferryError({
    code: existing.problems.some((problem) => /capacity/i.test(problem)) ? 'CapacityUnavailable' : 'ProviderRefused',
    message: `node group ${existing.name} is ${existing.status}: ${existing.problems.join('; ')}`,
  });
}
