import type { NodeFacts } from './node.ts';

/**
 * Taints by which others announce that they end a node soon: the cluster autoscaler (utils/taints, ToBeDeletedTaint) and Karpenter
 * (pkg/apis/v1/taints.go, DisruptedTaintKey; before version 1 `karpenter.sh/disruption`).
 */
const announcements: readonly string[] = [
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
];

/** The taint by which somebody else announces that the node ends soon; undefined where nobody does. */
export function takenAwayBy({ taints }: Pick<NodeFacts, 'taints'>): string | undefined {
  return taints.find(({ key }) => announcements.includes(key))?.key;
}
