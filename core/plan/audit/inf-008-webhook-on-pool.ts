import { indexOf } from '../../model/cluster-index.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import type { Finding } from '../finding.ts';
import type { ClusterRule } from './rule.ts';

/**
 * INF-008: a webhook that is called for each new pod and fails closed, and whose only pod is on a node to replace. While that pod moves no pod
 * can be created, including its own replacement. If it has several, one is left at any time: they leave one by one.
 */
export const inf008WebhookOnPool: ClusterRule = ({ facts, nodes, podSurge }) => {
  const { cluster } = facts;
  const { webhooks = [] } = cluster;
  if (webhooks.length === 0) return [];
  const index = indexOf(cluster);
  const leaving = new Set(nodes.map(({ name }) => name));
  const surged = new Set(podSurge.filter(({ how }) => how === 'pod surge').map(({ workload }) => workload));
  return [...Map.groupBy(webhooks, ({ service }) => service)].flatMap(([key, asked]): readonly Finding[] => {
    const service = index.service(key);
    const [only, ...others] = service === undefined ? [] : readyEndpoints(service, cluster);
    if (only?.node === undefined || others.length > 0 || !leaving.has(only.node)) return [];
    const pod = index.podsByUid.get(only.podUid ?? '');
    if (pod === undefined || pod.ownerKind === 'DaemonSet' || surged.has(pod.workload ?? '')) return [];
    const more = asked.length > 1 ? ` and ${asked.length - 1} more` : '';
    return [
      {
        rule: 'INF-008',
        severity: 'error',
        subject: `service ${key}`,
        message: `${asked[0]?.key ?? ''}${more} is called for every new pod and fails closed, and pod ${pod.namespace}/${pod.name} alone answers: while it moves no pod can be created, including its own replacement, unless the webhook exempts its namespace`,
        hint: 'Give it a second replica on another node, or let pod surge replace it (a Deployment with maxSurge above 0); or have the webhook exempt its namespace (namespaceSelector).',
      },
    ];
  });
};
