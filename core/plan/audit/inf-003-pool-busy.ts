import type { AuditRule } from './rule.ts';

/** INF-003: a pool that its cloud is changing, or that is broken, cannot be replaced now. */
export const inf003PoolBusy: AuditRule = ({ pool }) => {
  if (pool.status === 'active') return [];
  const problems = pool.problems.length === 0 ? '' : `: ${pool.problems.join('; ')}`;
  return [
    {
      rule: 'INF-003',
      severity: pool.status === 'degraded' ? 'error' : 'blocker',
      subject: `pool ${pool.ref.name}`,
      message: `its status is ${pool.status}${problems}`,
      hint: 'Wait until the cloud has finished, or repair the pool.',
    },
  ];
};
