import type { AuditRule } from './rule.ts';

/**
 * INF-024: whoever makes the plan may not change pods, so no dry run could tell which changes admission denies. The run tries them with its own rights
 * (Kubernetes docs, "API concepts", Dry-run authorization: it needs the rights of the change).
 */
export const inf024Untried: AuditRule = ({ pool, facts: { cluster } }) => {
  const { untried } = cluster;
  if (untried === undefined) return [];
  return [
    {
      rule: 'INF-024',
      severity: 'info',
      subject: `pool ${pool.ref.name}`,
      message: `whether admission lets a run change labels of its pods was not tried: ${untried.message}`,
      hint: `The run tries it. Pods whose labels may not be removed are told to stop while they are endpoints (WKL-008), and those without pod surge are evicted. ${untried.hint}`.trim(),
    },
  ];
};
