import { NodeferryError } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';

/** Names a run the way operators do: `cluster/pool`. */
export interface RunTarget {
  readonly cluster: string;
  readonly pool: string;
}

/** One run of a pool. */
export interface NamedRun extends RunTarget {
  /** Name of the run, or Temporal's ID of it. Absent: the run of the pool that was started last. */
  readonly run?: string;
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

/** Reads `cluster/pool` and the value of `--run` from the command line. @throws NodeferryError like parseRunTarget */
export function parseNamedRun(text: string, run: string | undefined): NamedRun {
  return { ...parseRunTarget(text), ...(run === undefined ? {} : { run }) };
}

/** The pool of a policy, as operators name it. */
export function runTargetOf({ cluster, pool }: Pick<Policy, 'cluster' | 'pool'>): RunTarget {
  return { cluster: cluster.name, pool: pool.name };
}

/** Writes the pool of a target as operators type it. */
export function formatRunTarget(target: RunTarget): string {
  return `${target.cluster}/${target.pool}`;
}

/** Writes a target as operators type it, with the run if they have named one. */
export function formatNamedRun(target: NamedRun): string {
  return target.run === undefined ? formatRunTarget(target) : `${formatRunTarget(target)} --run ${target.run}`;
}
