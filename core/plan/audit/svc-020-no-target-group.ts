import { indexOf } from '../../model/cluster-index.ts';
import type { ClusterRule } from './rule.ts';

/** SVC-020: a LoadBalancer Service without target groups cannot be waited for. If the reason is known, SVC-028 reports it instead. */
export const svc020NoTargetGroup: ClusterRule = ({ facts, services }) =>
  services.flatMap((plan) => {
    if (facts.unsupported.some((fact) => fact.service === plan.service)) return [];
    const service = indexOf(facts.cluster).service(plan.service);
    if (service === undefined || service.type !== 'LoadBalancer' || plan.targetGroups.length > 0) return [];
    const addresses = service.hostnames.length === 0 ? 'none' : service.hostnames.join(', ');
    return [
      {
        rule: 'SVC-020',
        severity: 'error' as const,
        subject: `service ${service.key}`,
        message: `no target group with instance targets was found behind it (addresses: ${addresses})`,
        hint: `nodeferry protects Network Load Balancers with instance targets; check permissions if it is one, and its events: ${describeEvents(service.key)}`,
        leavesUnprotected: true,
      },
    ];
  });

function describeEvents(key: string): string {
  const [namespace, name] = key.split('/');
  return `kubectl -n ${namespace} describe service ${name}`;
}
