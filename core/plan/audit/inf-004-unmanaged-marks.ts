import { excludeLabel } from '../../model/labels.ts';
import type { NodeFacts } from '../../model/node.ts';
import { takenAwayBy } from '../../model/taken-away.ts';
import type { ClusterRule } from './rule.ts';

/** INF-004: somebody else has already excluded or cordoned nodes. They count as out or leave soon, and the run never restores them. */
export const inf004UnmanagedMarks: ClusterRule = ({ facts }) =>
  facts.cluster.nodes.flatMap((node) => {
    const ownership = unmanagedMarks(node);
    if (ownership.length === 0) return [];
    return [
      {
        rule: 'INF-004',
        severity: 'warning' as const,
        subject: `node ${node.name}`,
        message: `somebody else has marked it: ${ownership.join(', ')}`,
        hint: 'Capacity may be reduced already; nodeferry leaves these nodes as they are.',
      },
    ];
  });

function unmanagedMarks(node: NodeFacts): readonly string[] {
  const taint = takenAwayBy(node);
  const label = node.labels[excludeLabel];
  return [
    ...(node.excluded && node.ownership.excludedBy === undefined ? ['excluded from load balancers'] : []),
    // Some controllers parse the value, others only ask whether the label exists (AWS Load Balancer Controller, ingress-gce).
    ...(!node.excluded && label !== undefined
      ? [`label ${excludeLabel}=${label}, which excludes it for some controllers`]
      : []),
    ...(node.cordoned && node.ownership.cordonedBy === undefined ? ['cordoned'] : []),
    ...(taint === undefined ? [] : [`taint ${taint}`]),
  ];
}
