import type { AuditRule } from './rule.ts';

/** POL-004: the policy makes an exception from pod surge for a Deployment that does not exist; most often a misspelt name. */
export const pol004UnknownWorkload: AuditRule = ({ policy, facts }) => {
  const known = facts.cluster.workloads
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ namespace, name }) => `${namespace}/${name}`);
  return Object.keys(policy.podSurge?.workloads ?? {})
    .filter((workload) => !known.includes(workload))
    .map((workload) => ({
      rule: 'POL-004',
      severity: 'warning',
      subject: `deployment ${workload}`,
      message: 'spec.podSurge.workloads names it, but the cluster has no such Deployment',
      hint: 'Compare with kubectl get deployments -A.',
    }));
};
