import type { NodeFacts } from './node.ts';
import type { PodFacts } from './pod.ts';

/** Whether a node has every label that the node selector and the required affinity of a pod need. */
export function hasRequiredLabels(
  { labels }: Pick<NodeFacts, 'labels'>,
  { requiredNodeLabels = {} }: Pick<PodFacts, 'requiredNodeLabels'>,
): boolean {
  return Object.entries(requiredNodeLabels).every(([label, values]) => values.includes(labels[label] ?? ''));
}
