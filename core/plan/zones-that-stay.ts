import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';

/** Zones with a node that is not drained and takes new pods. */
export function zonesThatStay({ nodes }: ClusterFacts, { pool }: Pick<Policy, 'pool'>): ReadonlySet<string> {
  return new Set(nodes.filter((node) => node.pool !== pool.name && !node.cordoned).map(({ zone }) => zone));
}
