import { onceFor } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from './policy.ts';

/**
 * The observation as a run sees it. For a run that drains some nodes of a pool, the pool consists of these nodes: its other nodes stay, and count as
 * nodes of a pool of their own. So whatever compares pools need not know which nodes were selected. The observation itself for all other runs.
 */
export function seenBy(cluster: ClusterFacts, { pool, selection }: Pick<Policy, 'pool' | 'selection'>): ClusterFacts {
  if (selection === undefined) return cluster;
  const seen = viewsOf(cluster);
  const key = [pool.name, ...selection.nodes.map(({ uid }) => uid)].join(' ');
  const known = seen.get(key);
  if (known !== undefined) return known;
  const selected = new Set(selection.nodes.map(({ uid }) => uid));
  const nodes = cluster.nodes.map((node) => placed(node, pool.name, selected));
  const view = { ...cluster, nodes };
  seen.set(key, view);
  return view;
}

/** Views of one observation, by pool and nodes: what is indexed for a view stays valid as long as the observation. */
const viewsOf: (of: ClusterFacts) => Map<string, ClusterFacts> = onceFor(() => new Map());

function placed(node: NodeFacts, pool: string, selected: ReadonlySet<string>): NodeFacts {
  if (selected.has(node.uid)) return node.pool === pool ? node : { ...node, pool };
  return node.pool === pool ? { ...node, pool: stayingPool(pool) } : node;
}

/** Where the nodes of a pool count that stay while others of it are drained. No pool of a cloud has such a name. */
export function stayingPool(pool: string): string {
  return `${pool} (stays)`;
}
