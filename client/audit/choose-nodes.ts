import type { NodeFacts } from '../../core/model/node.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import { printable } from '../../core/text/printable.ts';
import { suggest } from '../../core/text/suggest.ts';

/** What an audit is limited to. */
export interface AuditLimits {
  /** `namespace/name`. */
  readonly service: string | undefined;
  /** Name of the pool. */
  readonly pool: string | undefined;
}

/**
 * The nodes that are audited: those of the pool, or all that are instances of their own. Also checks that the Service exists.
 * @throws NodeferryError InvalidArgument, with the name that was most likely meant
 */
export function chooseNodes({ nodes, services }: ClusterFacts, { service, pool }: AuditLimits): readonly NodeFacts[] {
  const keys = services.map(({ key }) => key);
  if (service !== undefined && !keys.includes(service))
    throw notFound('Service', service, keys, 'Write it as NAMESPACE/NAME; kubectl get services -A lists them.');
  if (pool === undefined) return nodes.filter(({ madeForOnePod }) => madeForOnePod !== true);
  const own = nodes.filter((node) => node.pool === pool);
  if (own.length > 0) return own;
  const pools = [...new Set(nodes.flatMap((node) => node.pool ?? []))].toSorted();
  throw notFound('pool', pool, pools, `Pools of the cluster: ${pools.length === 0 ? 'none' : pools.join(', ')}`);
}

function notFound(kind: string, name: string, names: readonly string[], hint: string): NodeferryError {
  const meant = suggest(name, names);
  return new NodeferryError({
    code: 'InvalidArgument',
    message: `No ${kind} ${printable(name)} is in the cluster.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    hint,
  });
}
