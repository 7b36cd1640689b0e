import { indexOf } from '../../model/cluster-index.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import type { ClusterRule } from './rule.ts';

/** WKL-001: a Service with one ready endpoint does not answer while its pod moves. */
export const wkl001SingleReplica: ClusterRule = ({ surged, services, nodes }) => {
  const old = new Set(nodes.map((node) => node.name));
  return services.flatMap((plan) => {
    const service = indexOf(surged.cluster).service(plan.service);
    const [only, ...others] = service === undefined ? [] : readyEndpoints(service, surged.cluster);
    if (only?.node === undefined || others.length > 0 || !old.has(only.node)) return [];
    return [
      {
        rule: 'WKL-001',
        severity: 'error' as const,
        subject: `service ${plan.service}`,
        message: `its only ready endpoint is on ${only.node}: no pod answers while this one moves`,
        hint: 'Run at least two replicas.',
        leavesUnprotected: true,
      },
    ];
  });
};
