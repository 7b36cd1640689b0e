import type { NodeFacts } from './node.ts';
import type { TargetGroupFacts } from './target-group.ts';

/** Whether the exclude label of a node takes it out of the target group, as the controller of the group reads it. */
export function isExcludedFrom(
  { excluded, deniesExclusion = false }: Pick<NodeFacts, 'excluded' | 'deniesExclusion'>,
  { ignoresLabelValue = false }: Pick<TargetGroupFacts, 'ignoresLabelValue'>,
): boolean {
  return excluded || (ignoresLabelValue && deniesExclusion);
}
