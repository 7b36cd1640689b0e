/** Finds the runs that left something on a pool, and those of them that a cleanup of this pool must not touch. */
import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PoolFacts } from '../model/pool.ts';
import { isPoolLock } from '../model/pool-lock.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, listNames } from '../text/format.ts';

/** Where to find runs. */
interface RunsQuestion {
  readonly cluster: ClusterFacts;
  /** Name of the pool that was to be replaced. */
  readonly name: string;
  /** Pools that runs have created to replace it. */
  readonly replacements: readonly PoolFacts[];
  /** Holder of the lock on the pool. */
  readonly holder: string | undefined;
}

/** Runs that have an ownership mark on any node. */
export function findRunsWithLeftovers({ nodes }: ClusterFacts): readonly string[] {
  return [...new Set(nodes.flatMap(runsOn))].toSorted(compareText);
}

/** Runs that have an ownership mark on the nodes or pods of the pool or of its replacements, or that hold its lock. */
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
 * Explains why a run belongs to another pool although nodes or pods here have its ownership marks. The pods of a ReplicaSet run on nodes of all
 * pools, and so a run can raise the deletion cost of pods here. It holds the lock of another pool, or of this one under another name of the
 * cluster; or it has no ownership mark on a node of this pool, and nodes elsewhere have some. Undefined for a run of this pool, and for a run
 * that left nothing else.
 */
export function findElsewhere(
  run: string,
  question: RunsQuestion & { readonly locks: readonly string[] },
): string | undefined {
  const { cluster, name, holder, locks } = question;
  if (holder?.split('/')[0] === run) return undefined;
  const others = locks.filter(isPoolLock);
  if (others.length > 0)
    return `run ${run} has ownership marks here, but works on a pool other than ${name}, or the cluster has another name: it holds the lock ${listNames(others)}`;
  if (nodesHere(question).some((node) => runsOn(node).includes(run))) return undefined;
  const pools = new Set(cluster.nodes.filter((node) => runsOn(node).includes(run)).map(({ pool = 'none' }) => pool));
  if (pools.size === 0) return undefined;
  return `run ${run} has pods here, but works on a pool other than ${name}: nodes of ${listNames([...pools])} have its ownership marks`;
}

function nodesHere({ cluster, name, replacements }: RunsQuestion): readonly NodeFacts[] {
  const names = new Set([name, ...replacements.map(({ ref }) => ref.name)]);
  return cluster.nodes.filter(({ pool }) => pool !== undefined && names.has(pool));
}

function runsOn({ ownership }: Pick<NodeFacts, 'ownership'>): readonly string[] {
  const { cordonedBy, excludedBy, disruptedBy, fence } = ownership;
  return [cordonedBy, excludedBy, disruptedBy, fence?.run].filter((run) => run !== undefined);
}
