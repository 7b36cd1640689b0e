import { isInPlace } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/**
 * INF-022: load balancers are attached to the pool itself, so that its cloud registers each of its instances there. No Service tells of that, and a new
 * pool has none: once the old nodes are gone, these load balancers have no target. What could not be read is told too.
 */
export const inf022AttachedBalancer: AuditRule = ({ pool, newPool, policy }) => {
  const { attached = [], attachedUnread } = pool;
  const missing = attached.filter((name) => newPool?.attached?.includes(name) !== true);
  const subject = `pool ${pool.ref.name}`;
  if (policy.selection !== undefined || isInPlace(policy)) return [];
  if (attachedUnread !== undefined) {
    return [
      {
        rule: 'INF-022',
        severity: 'info',
        subject,
        message: `whether load balancers are attached to the pool itself is not known: ${attachedUnread}`,
        hint: 'Grant the permission that is named, or check by other means that there are none.',
      },
    ];
  }
  if (missing.length === 0) return [];
  return [
    {
      rule: 'INF-022',
      severity: 'error',
      subject,
      message: `what sends to it is attached to the pool itself (${listNames(missing)}): the new nodes will not be targets there, and once the old ones are gone nothing is`,
      hint: 'Attach the new pool to them too as soon as it exists, or let the run adopt a pool that is attached already (spec.target.adopt).',
      leavesUnprotected: true,
    },
  ];
};
