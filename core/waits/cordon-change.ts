import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';
import { listNames } from '../text/format.ts';

/**
 * The target groups whose controller has not noticed yet that a cordoned node was excluded, or included again, because it reads the label only when
 * something else about the node changes: removing the cordon and setting it again lets it notice. Empty when there is nothing to do, or when the node
 * is not cordoned. With `perhaps`, also those whose controller may be like that.
 */
export function groupsThatAwaitCordon(
  node: NodeRef,
  { cluster, targetGroups }: ServingFacts,
  { perhaps = false }: { readonly perhaps?: boolean } = {},
): readonly string[] {
  const seen = indexOf(cluster).nodes.get(node.name);
  if (seen?.uid !== node.uid || !seen.cordoned) return [];
  return targetGroups
    .filter((group) => group.readsLabelWithCordon === true || (perhaps && group.mayReadLabelWithCordon === true))
    .filter(
      (group) =>
        targetsOf(node, group).some(({ state }) => state !== 'unused' && state !== 'draining') === seen.excluded,
    )
    .map(({ name }) => name);
}

/** Whether the node is a target of a group whose controller may have read the label only if the cordon changes after it. */
export function mayAwaitCordon(node: NodeRef, { targetGroups }: Pick<ServingFacts, 'targetGroups'>): boolean {
  return targetGroups.some((group) => group.mayReadLabelWithCordon === true && targetsOf(node, group).length > 0);
}

/**
 * Whether a node without a cordon may be one whose cordon the run itself has removed, and did not come to set again: the run's annotation goes with the
 * cordon then. Somebody else who uncordons the node leaves the annotation (kubectl changes `spec.unschedulable` alone).
 */
export function isCordonChanging(
  { cordoned, ownership }: Pick<NodeFacts, 'cordoned' | 'ownership'>,
  groups: readonly TargetGroupFacts[] = [],
): boolean {
  const isRead = (group: TargetGroupFacts) => group.readsLabelWithCordon ?? group.mayReadLabelWithCordon;
  return !cordoned && ownership.cordonedBy === undefined && groups.some((group) => isRead(group) === true);
}

/**
 * Why the controllers of these groups do not notice the label of a node: its cordon is not the run's, which therefore does not change it. Undefined where
 * there is no such group, or the run may change the cordon.
 */
export function explainUnmanagedCordon(
  node: NodeRef,
  { cluster }: ServingFacts,
  groups: readonly string[],
  run: string,
): string | undefined {
  if (groups.length === 0 || indexOf(cluster).nodes.get(node.name)?.ownership.cordonedBy === run) return undefined;
  return (
    `${node.name} was cordoned by somebody else, and the controller of ${listNames(groups)} reads the exclude label only when a cordon changes: ` +
    `run kubectl uncordon ${node.name}`
  );
}
