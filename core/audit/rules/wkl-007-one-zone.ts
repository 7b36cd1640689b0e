import { indexOf } from '../../model/cluster-index.ts';
import { zoneLabel } from '../../model/labels.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import { servicesOnPool } from '../../plan/audit/rule.ts';
import { listNames } from '../../text/format.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** WKL-007: a load balancer in several zones, and pods in one of them only. */
export const wkl007OneZone: Rule = {
  id: 'WKL-007',
  severities: ['warning'],
  title: 'Pods in one zone behind a load balancer in several',
  why: 'While the nodes of that zone are replaced, or when the zone fails, nothing serves. Without cross-zone balancing the addresses of the other zones serve nobody at any time.',
  fix: 'Spread the pods over zones with a topologySpreadConstraint by topology.kubernetes.io/zone.',
  source: 'Elastic Load Balancing user guide for Network Load Balancers, target group health checks',
  needsLoadBalancers: true,
  check: (question) => {
    const { nodes } = indexOf(question.facts.cluster);
    // A regional load balancer is in every zone of its region. Pods can only be where nodes are.
    const hosting = new Set([...nodes.values()].map(({ zone }) => zone));
    return servicesOnPool(question).flatMap(({ service, groups }) => {
      const ready = readyEndpoints(service, question.facts.cluster);
      const zones = new Set(ready.map(({ node }) => nodes.get(node ?? '')?.zone));
      const enabled = [...new Set(groups.flatMap((group) => group.zones))]
        .filter((zone) => hosting.has(zone))
        .toSorted();
      if (ready.length < 2 || zones.size !== 1 || enabled.length < 2) return [];
      return [
        {
          severity: 'warning' as const,
          object: named('Service', service.key),
          message: `all ${ready.length} ready endpoints are in ${[...zones].join('')}, and its load balancer is in ${listNames(enabled)}`,
          fix: {
            text: 'Spread the pods over zones. In the pod template of the workload:',
            yaml: [
              'topologySpreadConstraints:',
              '  - maxSkew: 1',
              `    topologyKey: ${zoneLabel}`,
              '    whenUnsatisfiable: ScheduleAnyway',
              `    labelSelector: { matchLabels: ${JSON.stringify(service.selector)} }`,
              '    matchLabelKeys: [pod-template-hash]',
            ].join('\n'),
          },
        },
      ];
    });
  },
};
