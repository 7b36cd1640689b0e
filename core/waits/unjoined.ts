/** Instances that never become nodes of the cluster: they serve nobody. */
import type { NodeFacts } from '../model/node.ts';
import { type InstanceFacts, liveInstances, type PoolFacts } from '../model/pool.ts';

/** IDs of the instances that are starting or running, and are not among the nodes. */
export function findUnjoined(
  pool: Pick<PoolFacts, 'instances'>,
  nodes: readonly Pick<NodeFacts, 'instanceId'>[],
): readonly string[] {
  const joined = new Set(nodes.map(({ instanceId }) => instanceId));
  return liveInstances(pool).filter((id) => !joined.has(id));
}

/**
 * How often a rollback replaces instances of the old pool that have not joined by their deadline, before it asks an operator. An instance that
 * has failed to boot is replaced by a good one at once; what stops every instance from joining, two more of them do not cure.
 */
export const maxReplacements = 2;

/** The old pool of a run that is rolled back, when it has got instances again. */
interface UnjoinedQuestion {
  readonly pool: Pick<PoolFacts, 'instances' | 'desiredSize'>;
  readonly nodes: readonly Pick<NodeFacts, 'instanceId'>[];
  /** IDs of the instances that it has kept: these are not touched. */
  readonly known: readonly string[];
  /** The size that the run restores. */
  readonly size: number;
}

/**
 * IDs of the new instances that have to end because they are not nodes. Those that are ending for that reason are included, so that an attempt
 * whose answer was lost says the same again. None in a pool that somebody has scaled beyond the size of the plan: each termination lowers its size
 * by one, and the run restores only that of the plan.
 */
export function selectUnjoined({ pool, nodes, known, size }: UnjoinedQuestion): readonly string[] {
  if (pool.desiredSize > size) return [];
  const others = new Set([...known, ...nodes.map(({ instanceId }) => instanceId)]);
  const isLeft = ({ instanceId, state }: InstanceFacts) => state !== 'terminated' && !others.has(instanceId);
  return pool.instances.filter(isLeft).map(({ instanceId }) => instanceId);
}
