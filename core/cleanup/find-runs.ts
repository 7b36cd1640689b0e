/** Whose marks are on a pool, and which of those runs it is not for its sweep to touch. */
import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PoolFacts } from '../model/pool.ts';
import { isPoolLock } from '../model/pool-lock.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, listNames } from '../text/format.ts';

/** Where runs are looked for. */
export interface RunsQuestion {
  readonly cluster: ClusterFacts;
  /** Name of the pool that was to be replaced. */
  readonly name: string;
  /** Pools that runs have created in place of it. */
  readonly replacements: readonly PoolFacts[];
  /** Who holds the lock on the pool. */
  readonly holder: string | undefined;
}

/** Runs that have left a mark on any node. */
export function findRunsWithLeftovers({ nodes }: ClusterFacts): readonly string[] {
  return [...new Set(nodes.flatMap(runsOn))].toSorted(compareText);
}

/** Runs that have left a mark on the pool or on what was to replace it, or hold its lock. */
export function findRuns(question: RunsQuestion): readonly string[] {
  const { cluster, holder } = question;
  const nodes = nodesHere(question);
  const found = [
    ...nodes.flatMap(runsOn),
    ...nodes.flatMap((node) =>
      indexOf(cluster)
        .podsOn(node.name)
        .flatMap(({ endpointsRemoved, released, costRaisedBy }) => [endpointsRemoved?.by, released?.by, costRaisedBy]),
    ),
    holder?.split('/')[0],
  ].filter((one) => one !== undefined);
  return [...new Set(found)].toSorted(compareText);
}

/**
 * What says that a run works on another pool, although pods here carry marks of it: a ReplicaSet has its pods on nodes of all pools, and so
 * have the deletion costs that runs raise. It has no mark on a node of this pool, and the lock on another, or marks on nodes there. Undefined
 * for a run of this pool, and for one of which nothing else is left.
 */
export function findElsewhere(
  run: string,
  question: RunsQuestion & { readonly locks: readonly string[] },
): string | undefined {
  const { cluster, name, holder, locks } = question;
  if (holder?.split('/')[0] === run || nodesHere(question).some((node) => runsOn(node).includes(run))) return undefined;
  const others = locks.filter(isPoolLock);
  if (others.length > 0)
    return `run ${run} has pods here and works on another pool than ${name}: it holds the lock ${listNames(others)}`;
  const pools = new Set(cluster.nodes.filter((node) => runsOn(node).includes(run)).map(({ pool = 'none' }) => pool));
  if (pools.size === 0) return undefined;
  return `run ${run} has pods here and works on another pool than ${name}: nodes of ${listNames([...pools])} carry its labels or annotations`;
}

function nodesHere({ cluster, name, replacements }: RunsQuestion): readonly NodeFacts[] {
  const names = new Set([name, ...replacements.map(({ ref }) => ref.name)]);
  return cluster.nodes.filter(({ pool }) => pool !== undefined && names.has(pool));
}

function runsOn({ ownership }: Pick<NodeFacts, 'ownership'>): readonly string[] {
  const { cordonedBy, excludedBy, disruptedBy, fence } = ownership;
  return [cordonedBy, excludedBy, disruptedBy, fence?.run].filter((run) => run !== undefined);
}
