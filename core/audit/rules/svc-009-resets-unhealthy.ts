import { hostServices } from '../../plan/audit/rule.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { attributeFix } from '../target-group-attributes.ts';

/** SVC-009: a load balancer that resets established connections when a target becomes unhealthy, which is what an eviction makes of a node. */
export const svc009ResetsUnhealthy: Rule = {
  id: 'SVC-009',
  severities: ['warning'],
  title: 'Connections that are reset when the health check fails',
  why: 'With policy Local the health check of a node fails as soon as its last pod begins to terminate, in a rollout as in an eviction. A Network Load Balancer then resets every established connection of that node, though the pod still serves them.',
  fix: 'Have the load balancer keep the connections of an unhealthy target, for as long as connections live.',
  source: 'Elastic Load Balancing user guide for Network Load Balancers, target group attributes, unhealthy targets',
  needsLoadBalancers: true,
  check: (question) =>
    hostServices(question).flatMap(({ service, groups }) => {
      const resetting = groups.filter((group) => group.terminatesUnhealthyConnections);
      if (resetting.length === 0) return [];
      const object = named('Service', service.key);
      const seconds = Math.max(...resetting.map((group) => group.deregistrationDelayMs)) / 1000;
      return [
        {
          severity: 'warning' as const,
          object,
          message: `${resetting.map(({ name }) => name).join(', ')} resets the connections of a node whose last pod begins to terminate`,
          fix: attributeFix(
            object,
            resetting,
            question.terms,
            { endsUnhealthy: false, unhealthyDrainSeconds: seconds },
            'Let established connections end by themselves when a target becomes unhealthy.',
          ),
        },
      ];
    }),
};
