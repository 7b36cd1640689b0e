import { auditedServices, drainsNothing } from '../../plan/audit/rule.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** SVC-014: a sort of load balancer that drains nothing, and that its cloud has replaced. */
export const svc014OutdatedGroup: Rule = {
  id: 'SVC-014',
  severities: ['error'],
  title: 'An outdated sort of load balancer that drains no connections',
  why: 'Target pools, and internal load balancers with instance groups, are set up without connection draining. Established connections may be cut as soon as a node is taken out, whatever is done before.',
  fix: 'Move the Service to a load balancer with network endpoint groups.',
  source:
    'cloud-provider-gcp providers/gce/gce_loadbalancer_internal.go; Compute Engine docs, Enable connection draining',
  needsLoadBalancers: true,
  check: (question) =>
    auditedServices(question).flatMap(({ service, groups }) =>
      groups.flatMap((group) => {
        if (group.successor === undefined || !drainsNothing(group)) return [];
        return [
          {
            severity: 'error' as const,
            object: named('Service', service.key),
            message: `${group.name} drains no connections, and its sort of load balancer has a successor that does`,
            fix: { text: group.successor },
          },
        ];
      }),
    ),
};
