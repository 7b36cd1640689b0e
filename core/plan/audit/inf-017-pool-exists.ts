import type { AuditRule } from './rule.ts';

/** INF-017: a pool with the name of the new one exists already. A run creates its own pool, and changes no other. */
export const inf017PoolExists: AuditRule = ({ policy, newPoolExists }) => {
  if (!newPoolExists) return [];
  const { poolName } = policy.target;
  return [
    {
      rule: 'INF-017',
      severity: 'blocker',
      subject: `pool ${poolName}`,
      message: `the new pool ${poolName} exists already`,
      hint: 'Give the new pool another name in spec.target.poolName, or delete the existing one if it is not needed.',
    },
  ];
};
