import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import { targetsOf } from '../model/targets-of.ts';

/**
 * The target groups whose controller has not noticed yet that a cordoned node was excluded, or included again, because it reads the label only when
 * something else about the node changes: removing the cordon and setting it again lets it notice. Empty when there is nothing to do, or when the node
 * is not cordoned.
 */
export function groupsThatAwaitCordon(node: NodeRef, { cluster, targetGroups }: ServingFacts): readonly string[] {
  const seen = indexOf(cluster).nodes.get(node.name);
  if (seen?.uid !== node.uid || !seen.cordoned) return [];
  return targetGroups
    .filter((group) => group.readsLabelWithCordon === true)
    .filter(
      (group) =>
        targetsOf(node, group).some(({ state }) => state !== 'unused' && state !== 'draining') === seen.excluded,
    )
    .map(({ name }) => name);
}
