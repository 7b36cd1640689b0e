import type { ClusterRule } from './rule.ts';

/**
 * SVC-027: a Service of type NodePort may be behind a load balancer that is not derived from a Service (an ALB Ingress with instance targets, a
 * TargetGroupBinding, a target group made by hand). Its targets are not observed, so nothing waits for them.
 */
export const svc027NodePort: ClusterRule = ({ facts, nodes }) => {
  const names = new Set(nodes.map((node) => node.name));
  return facts.cluster.services
    .filter((service) => service.type === 'NodePort')
    .filter((service) => service.endpoints.some((endpoint) => endpoint.node !== undefined && names.has(endpoint.node)))
    .map((service) => ({
      rule: 'SVC-027',
      severity: 'warning' as const,
      subject: `service ${service.key}`,
      message: 'of type NodePort: a load balancer that sends to it is not seen, and not waited for',
      hint: 'If an Ingress or a target group of your own sends to it, deregister the nodes there yourself, or do not run.',
      leavesUnprotected: true,
    }));
};
