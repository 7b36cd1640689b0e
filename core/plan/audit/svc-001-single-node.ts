import { readyEndpoints } from '../../model/ready-endpoints.ts';
import { afterPodSurge, type ClusterRule, servicesOnPool } from './rule.ts';

/** SVC-001: a Local Service that only one node serves is not served while that node leaves. */
export const svc001SingleNode: ClusterRule = (question) =>
  servicesOnPool(afterPodSurge(question))
    .filter(({ service }) => service.externalTrafficPolicy === 'Local')
    .flatMap(({ service }) => {
      const nodes = new Set(readyEndpoints(service, question.surged.cluster).map(({ node }) => node));
      if (nodes.size >= 2) return [];
      return [
        {
          rule: 'SVC-001',
          severity: 'blocker' as const,
          subject: `service ${service.key}`,
          message: `policy Local and ready endpoints on ${nodes.size} node${nodes.size === 1 ? '' : 's'}: nothing serves while it leaves`,
          hint: 'Run at least two replicas on different nodes.',
        },
      ];
    });
