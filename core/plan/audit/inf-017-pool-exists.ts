import type { PoolFacts } from '../../model/pool.ts';
import { keepsTarget, newNodes } from '../../policy/members.ts';
import type { Policy } from '../../policy/policy.ts';
import { count } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** INF-017: a pool with the name of the new one exists already. Unless the policy says that the run adopts it, a run creates its own pool. */
export const inf017PoolExists: AuditRule = ({ policy, newPool, facts }) => {
  if (newPool === undefined || keepsTarget(policy)) return [];
  const { poolName } = policy.target;
  const nodes = newNodes(facts.cluster, policy).length;
  return [
    {
      rule: 'INF-017',
      severity: 'blocker',
      subject: `pool ${poolName}`,
      message: `the new pool ${poolName} exists already, with ${count(nodes, 'node')}`,
      hint: `Set spec.target.poolName to another name, such as ${poolName}-2. ${wayIn(newPool, policy)} Delete ${poolName} only if it serves nothing.`,
    },
  ];
};

/** What to do with the pool that is there. */
function wayIn({ createdBy }: PoolFacts, { pool, target }: Policy): string {
  if (createdBy === undefined)
    return `To move to the pool that exists, set spec.target.adopt: true: the run then uses its nodes, and never deletes it.`;
  return (
    `If an earlier run skipped nodes of ${pool.name}, it has made ${target.poolName}, ` +
    'and a run never joins a pool that another run has created.'
  );
}
