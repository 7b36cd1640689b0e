import { isInPlace } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** Most settings that are named. */
const maxReported = 6;

/** INF-023: somebody has made settings on what the cloud has made of the pool. They are none of the pool, so a new one does not get them. */
export const inf023OwnSettings: AuditRule = ({ pool, newPool, policy }) => {
  const missing = (pool.ownSettings ?? []).filter((setting) => newPool?.ownSettings?.includes(setting) !== true);
  if (policy.selection !== undefined || isInPlace(policy) || missing.length === 0) return [];
  return [
    {
      rule: 'INF-023',
      severity: 'warning',
      subject: `pool ${pool.ref.name}`,
      message: `the new pool does not get what somebody has set outside the pool’s own settings: ${listNames(missing, maxReported)}`,
      hint: 'Set the same for the new pool as soon as it exists, or let the run adopt a pool that has it (spec.target.adopt).',
    },
  ];
};
