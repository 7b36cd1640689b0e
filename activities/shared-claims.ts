import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Cluster } from '../ports/cluster.ts';

/** Claims (`namespace/name`) that pods on these nodes use and whose volumes any number of nodes may mount. */
export async function findSharedClaims(
  cluster: Cluster,
  nodes: readonly Pick<NodeRef, 'name'>[],
  facts: ClusterFacts,
): Promise<ReadonlySet<string>> {
  const claims = nodes.flatMap(({ name }) =>
    indexOf(facts)
      .podsOn(name)
      .flatMap(({ namespace, claims: names = [] }) => names.map((claim) => ({ namespace, name: claim }))),
  );
  const read = claims.length === 0 ? [] : await cluster.readClaims(claims);
  return new Set(read.filter(({ isShared }) => isShared).map(({ namespace, name }) => `${namespace}/${name}`));
}
