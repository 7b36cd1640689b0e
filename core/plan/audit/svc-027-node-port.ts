import { balancedServices } from '../../guard/serving.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { ServingFacts } from '../../model/serving.ts';
import type { ClusterRule } from './rule.ts';

/**
 * SVC-027: a Service of type NodePort may be behind a load balancer that is not derived from a Service (an ALB Ingress with instance targets, a
 * TargetGroupBinding, a target group made by hand). Its targets are not observed, so nothing waits for them. Where its pods are the targets, they are.
 */
export const svc027NodePort: ClusterRule = ({ facts, nodes }) => {
  const names = new Set(nodes.map((node) => node.name));
  return facts.cluster.services
    .filter((service) => service.type === 'NodePort' && !hasItsPodsObserved(service, facts))
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

/** Whether every group of pods that the objects of the cluster name for the Service was found behind a load balancer. */
function hasItsPodsObserved({ key, podGroups }: ServiceFacts, facts: ServingFacts): boolean {
  if (podGroups === undefined) return false;
  const groups = balancedServices(facts).get(key)?.groups ?? [];
  return podGroups.names.every((named) => groups.some(({ id, name }) => id === named || name === named));
}
