import { isNodeBound } from '../../eviction/node-bound.ts';
import { indexOf } from '../../model/cluster-index.ts';
import type { ClusterRule } from './rule.ts';

/**
 * SVC-029: `internalTrafficPolicy: Local`. Callers inside the cluster reach only endpoints of their own node. On a node without any, their
 * connections are dropped (Kubernetes docs, "Service Internal Traffic Policy"). The last endpoint of a node leaves before its callers. Pods of a DaemonSet do not: they
 * stay while callers are evicted, and each is there for its own node.
 */
export const svc029InternalLocal: ClusterRule = ({ facts, nodes }) => {
  const names = new Set(nodes.map((node) => node.name));
  const { podsByUid } = indexOf(facts.cluster);
  return facts.cluster.services
    .filter(({ internalTrafficPolicy }) => internalTrafficPolicy === 'Local')
    .filter(({ endpoints }) =>
      endpoints.some(({ node, podUid }) => {
        const pod = podsByUid.get(podUid ?? '');
        return node !== undefined && names.has(node) && (pod === undefined || !isNodeBound(pod));
      }),
    )
    .map(({ key }) => ({
      rule: 'SVC-029',
      severity: 'warning',
      subject: `service ${key}`,
      message:
        'internalTrafficPolicy is Local: connections from callers on a node are dropped once its last endpoint has left, until the callers leave too',
      hint: 'Set internalTrafficPolicy to Cluster, or prefer near endpoints with trafficDistribution, unless callers can tolerate that.',
      leavesUnprotected: true,
    }));
};
