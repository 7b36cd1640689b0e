import type { NodeRef } from '../model/node.ts';
import type { PoolFacts } from '../model/pool.ts';
import type { Policy } from '../policy/policy.ts';

/**
 * How many instances the new pool may have at a time, in addition to those that replace terminated ones. `size` is its final size.
 * Undefined when all instances may start at once. At least one, because otherwise no node could ever leave.
 */
export function surgeAtOnce({ nodeSurge }: Pick<Policy, 'nodeSurge'>, size: number): number | undefined {
  if (nodeSurge === undefined) return undefined;
  const instances = 'instances' in nodeSurge ? nodeSurge.instances : Math.ceil(nodeSurge.share * size - 1e-9);
  const atOnce = Math.max(1, instances);
  return atOnce < size ? atOnce : undefined;
}

/** The number of waves in which the new instances of a pool of `size` start. It is 1 when all start at once. */
export function countWaves(policy: Pick<Policy, 'nodeSurge'>, size: number): number {
  const atOnce = surgeAtOnce(policy, size);
  return atOnce === undefined ? 1 : Math.ceil(size / atOnce);
}

/** How many instances take the place of a pool: as many as it should have, or as it has nodes. */
export function neededSize(nodes: readonly NodeRef[], { desiredSize }: Pick<PoolFacts, 'desiredSize'>): number {
  return Math.max(nodes.length, desiredSize);
}
