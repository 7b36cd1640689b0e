import type { NodeFacts } from './node.ts';

/**
 * Taints that announce that another controller will delete a node soon: the cluster autoscaler (utils/taints, ToBeDeletedTaint) or Karpenter
 * (pkg/apis/v1/taints.go, DisruptedTaintKey; before version 1 `karpenter.sh/disruption`).
 */
const announcements: readonly string[] = [
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
];

/** The taint that announces that another controller will delete the node soon. Undefined when it has none. */
export function takenAwayBy({ taints }: Pick<NodeFacts, 'taints'>): string | undefined {
  return taints.find(({ key }) => announcements.includes(key))?.key;
}
