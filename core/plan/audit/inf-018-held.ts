import type { NodeFacts } from '../../model/node.ts';
import { oldNodes } from '../../policy/members.ts';
import type { AuditRule } from './rule.ts';

/** INF-018: another run has marked a node to drain. Two runs must not act on one node. */
export const inf018Held: AuditRule = ({ policy, facts }) => {
  if (policy.selection === undefined) return [];
  return oldNodes(facts.cluster, policy).flatMap((node) => {
    const run = holderOf(node);
    if (run === undefined) return [];
    return [
      {
        rule: 'INF-018',
        severity: 'blocker' as const,
        subject: `node ${node.name}`,
        message: `run ${run} has marked it`,
        hint: 'Let that run finish, or abort it. If it is gone, remove what it left: nodeferry cleanup CLUSTER/POOL --yes',
      },
    ];
  });
};

function holderOf({ ownership }: NodeFacts): string | undefined {
  return ownership.cordonedBy ?? ownership.excludedBy ?? ownership.disruptedBy ?? ownership.fence?.run;
}
