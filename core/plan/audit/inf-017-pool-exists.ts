import { newNodes } from '../../policy/members.ts';
import { count } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** INF-017: a pool with the name of the new one exists already. A run creates its own pool, and changes no other. */
export const inf017PoolExists: AuditRule = ({ policy, newPoolExists, facts }) => {
  if (!newPoolExists) return [];
  const { poolName } = policy.target;
  const nodes = newNodes(facts.cluster, policy).length;
  return [
    {
      rule: 'INF-017',
      severity: 'blocker',
      subject: `pool ${poolName}`,
      message: `the new pool ${poolName} exists already, with ${count(nodes, 'node')}`,
      hint:
        `Set spec.target.poolName to another name, such as ${poolName}-2. If an earlier run skipped nodes of ` +
        `${policy.pool.name}, it has made ${poolName}, and a run never joins a pool that it has not created. ` +
        `Delete ${poolName} only if it serves nothing.`,
    },
  ];
};
