import { NodeferryError } from '../core/model/problem.ts';

/** Names a run the way operators do: `cluster/pool`. */
export interface RunTarget {
  readonly cluster: string;
  readonly pool: string;
}

/**
 * Reads `cluster/pool` from the command line.
 * @throws NodeferryError InvalidArgument with an example
 */
export function parseRunTarget(text: string): RunTarget {
  const parts = text.split('/');
  const [cluster, pool] = parts;
  if (parts.length !== 2 || !cluster || !pool) {
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: `"${text}" does not name a pool.`,
      hint: 'Write CLUSTER/POOL as in the policy, for example: nodeferry status prod-eu/web',
    });
  }
  return { cluster, pool };
}

/** Writes a target as operators type it. */
export function formatRunTarget(target: RunTarget): string {
  return `${target.cluster}/${target.pool}`;
}
