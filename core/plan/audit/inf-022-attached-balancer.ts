import { isInPlace } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/**
 * INF-022: load balancers are attached to the pool itself, so that its cloud registers each of its instances there. No Service tells of that, and a new
 * pool has none: once the old nodes are gone, these load balancers have no target.
 */
export const inf022AttachedBalancer: AuditRule = ({ pool, newPool, policy }) => {
  const missing = (pool.attached ?? []).filter((name) => newPool?.attached?.includes(name) !== true);
  if (policy.selection !== undefined || isInPlace(policy) || missing.length === 0) return [];
  return [
    {
      rule: 'INF-022',
      severity: 'error',
      subject: `pool ${pool.ref.name}`,
      message: `what sends to it is attached to the pool itself (${listNames(missing)}): the new nodes will not be targets there, and once the old ones are gone nothing is`,
      hint: 'Attach the new pool to them too as soon as it exists, or let the run adopt a pool that is attached already (spec.target.adopt).',
      leavesUnprotected: true,
    },
  ];
};
