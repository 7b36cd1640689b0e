import { drainsNothing, servicesOnPool } from '../../plan/audit/rule.ts';
import { listNames } from '../../text/format.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** SVC-015: UDP behind a load balancer that drains nothing. */
export const svc015DatagramsNotDrained: Rule = {
  id: 'SVC-015',
  severities: ['warning'],
  title: 'UDP flows that are not drained',
  why: 'For a Service with UDP this load balancer is set up without draining. When a node leaves or fails its health check, flows go on to another node, whose pods do not know them.',
  fix: 'Have clients begin anew without an answer, or keep the state of flows where every pod finds it. Give TCP ports a Service of their own, which is drained.',
  source: 'ingress-gce pkg/l4/backends/backends.go; Compute API reference, BackendServiceConnectionTrackingPolicy',
  needsLoadBalancers: true,
  check: (question) =>
    servicesOnPool(question).flatMap(({ service, groups }) => {
      const names = groups.filter(drainsNothing).map(({ name }) => name);
      if (service.usesUdp !== true || names.length === 0) return [];
      return [
        {
          severity: 'warning' as const,
          object: named('Service', service.key),
          message: `it has a UDP port, and ${listNames(names)} drains nothing: flows of a node move to others as soon as it leaves`,
          fix: {
            text: 'Have clients begin anew when they get no answer, and give TCP ports a Service of their own: its controller lets their connections end.',
          },
        },
      ];
    }),
};
