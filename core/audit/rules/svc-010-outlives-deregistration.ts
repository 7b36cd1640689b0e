import { servicesOnPool } from '../../plan/audit/rule.ts';
import { formatDuration, listNames } from '../../text/format.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { attributeFix } from '../target-group-attributes.ts';

/** SVC-010: connections that go on after their node is out of its load balancer, until the pod ends them. */
export const svc010OutlivesDeregistration: Rule = {
  id: 'SVC-010',
  severities: ['info'],
  title: 'Connections that outlive the deregistration of their node',
  why: 'This load balancer does not close what is left when a node is deregistered. Where connections stay open, as the protocol of the Service says, only the server ends them: with the pod, if it does not do so earlier. Under policy Cluster, CON-001 says more.',
  fix: 'Have the server end its connections earlier (WKL-023), or have the load balancer close them at the end of the deregistration delay.',
  source: 'Elastic Load Balancing user guide for Network Load Balancers, target group attributes, deregistration delay',
  needsLoadBalancers: true,
  check: (question) =>
    servicesOnPool(question).flatMap(({ service, groups }) => {
      const leaving = groups.filter((group) => group.terminatesConnectionsAfterDelay === false);
      if (service.externalTrafficPolicy !== 'Local' || service.longLived === undefined || leaving.length === 0)
        return [];
      const object = named('Service', service.key);
      const delay = formatDuration(Math.max(...leaving.map((group) => group.deregistrationDelayMs)));
      return [
        {
          severity: 'info' as const,
          object,
          message: `${service.longLived} connections that are left after ${delay} (${listNames(leaving.map(({ name }) => name))}) last until their pod stops`,
          fix: attributeFix(
            object,
            leaving,
            question.terms,
            { endsDrained: true },
            `Have the server end them, or the load balancer close them after ${delay}: clients then know at once that they must connect again.`,
          ),
        },
      ];
    }),
};
