import type { Policy } from '../policy/policy.ts';

/**
 * How many machines the new pool may have beyond those that stand in for ended ones, of `size` in the end; undefined when all may come at
 * once. At least one, or no node could ever leave.
 */
export function surgeAtOnce({ nodeSurge }: Pick<Policy, 'nodeSurge'>, size: number): number | undefined {
  if (nodeSurge === undefined) return undefined;
  const instances = 'instances' in nodeSurge ? nodeSurge.instances : Math.ceil(nodeSurge.share * size - 1e-9);
  const atOnce = Math.max(1, instances);
  return atOnce < size ? atOnce : undefined;
}

/** In how many waves the new machines of a pool of `size` come; one when all come at once. */
export function countSurges(policy: Pick<Policy, 'nodeSurge'>, size: number): number {
  const atOnce = surgeAtOnce(policy, size);
  return atOnce === undefined ? 1 : Math.ceil(size / atOnce);
}
