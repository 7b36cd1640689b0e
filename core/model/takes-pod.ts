import type { NodeFacts } from './node.ts';
import type { PodFacts } from './pod.ts';
import { hasRequiredLabels } from './required-labels.ts';

/** Whether a node has the labels that a pod needs, and no taint that the pod does not tolerate. */
export function takesPod(
  node: Pick<NodeFacts, 'labels' | 'taints'>,
  pod: Pick<PodFacts, 'tolerations' | 'requiredNodeLabels'>,
): boolean {
  const isTolerated = node.taints.every(
    ({ key, effect }) =>
      effect === 'PreferNoSchedule' ||
      pod.tolerations.some((one) => (one.key === undefined || one.key === key) && (one.effect ?? effect) === effect),
  );
  return isTolerated && hasRequiredLabels(node, pod);
}
