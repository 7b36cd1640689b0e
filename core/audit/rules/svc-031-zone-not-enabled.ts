import { indexOf } from '../../model/cluster-index.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import { servicesOnPool } from '../../plan/audit/rule.ts';
import { count, listNames } from '../../text/format.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** SVC-031: pods in a zone in which their load balancer is not enabled. */
export const svc031ZoneNotEnabled: Rule = {
  id: 'SVC-031',
  severities: ['warning'],
  title: 'Pods in a zone that the load balancer does not use',
  why: 'A load balancer sends nothing to targets in a zone in which it is not enabled. With policy Local the pods there get no connections from it, though they are ready: budgets and rollouts count them as serving, and the others may leave.',
  fix: 'Enable the zone for the load balancer, or keep the pods out of it.',
  source:
    'Elastic Load Balancing user guide for Network Load Balancers, Availability Zones; API reference, TargetHealth (Target.NotInUse)',
  needsLoadBalancers: true,
  check: (question) => {
    const { nodes } = indexOf(question.facts.cluster);
    return servicesOnPool(question).flatMap(({ service, groups }) => {
      const enabled = new Set(groups.flatMap((group) => group.zones));
      if (service.externalTrafficPolicy !== 'Local' || enabled.size === 0) return [];
      const ready = readyEndpoints(service, question.facts.cluster);
      const zones = ready.map(({ node }) => nodes.get(node ?? '')?.zone ?? '');
      const outside = zones.filter((zone) => zone !== '' && !enabled.has(zone));
      if (outside.length === 0) return [];
      return [
        {
          severity: 'warning' as const,
          object: named('Service', service.key),
          message: `${outside.length} of ${count(ready.length, 'ready endpoint')} are in ${listNames([...new Set(outside)].toSorted())}, and its load balancer only in ${listNames([...enabled].toSorted())}`,
          fix: {
            text: 'Add a subnet of that zone to the load balancer, or spread the pods over its zones only.',
          },
        },
      ];
    });
  },
};
