import { onceFor } from './cluster-index.ts';
import type { NodeRef } from './node.ts';
import type { TargetFacts, TargetGroupFacts } from './target-group.ts';

const targetsByInstance = onceFor((targets: readonly TargetFacts[]) =>
  Map.groupBy(targets, (target) => target.instanceId),
);

/** Targets of a group that are on the node: one per port. */
export function targetsOf(node: Pick<NodeRef, 'instanceId'>, group: TargetGroupFacts): readonly TargetFacts[] {
  return targetsByInstance(group.targets).get(node.instanceId) ?? [];
}
