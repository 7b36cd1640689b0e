import type { NodeFacts } from '../../model/node.ts';
import type { ServingFacts } from '../../model/serving.ts';
import { takenAwayBy } from '../../model/taken-away.ts';
import { targetsOf } from '../../model/targets-of.ts';
import { listNames } from '../../text/format.ts';
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
        hint: `Capacity may be reduced already; nodeferry leaves these nodes as they are.${explainCordon(node, facts)}`,
      },
    ];
  });

/** nodeferry does not change a cordon that is not its own, even where a controller would not notice the exclude label otherwise. */
function explainCordon(node: NodeFacts, { targetGroups }: ServingFacts): string {
  if (!node.cordoned || node.ownership.cordonedBy !== undefined) return '';
  const groups = targetGroups.filter(
    (group) => group.readsLabelWithCordon === true && targetsOf(node, group).length > 0,
  );
  if (groups.length === 0) return '';
  const names = listNames(groups.map(({ name }) => name));
  return ` A run that replaces it would stop there: the controller of ${names} reads the exclude label only when a cordon changes. Uncordon it before: kubectl uncordon ${node.name}`;
}

function unmanagedMarks(node: NodeFacts): readonly string[] {
  const taint = takenAwayBy(node);
  return [
    ...(node.excluded && node.ownership.excludedBy === undefined ? ['excluded from load balancers'] : []),
    ...(node.deniesExclusion === true ? ['labelled as not excluded, which some load balancers read as excluded'] : []),
    ...(node.cordoned && node.ownership.cordonedBy === undefined ? ['cordoned'] : []),
    ...(taint === undefined ? [] : [`taint ${taint}`]),
  ];
}
