import { targetGroupsOf } from '../../guard/serving.ts';
import { findUnobserved } from '../../guard/unobserved.ts';
import { describeImpact } from '../../guard/unprotected.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { ServingFacts } from '../../model/serving.ts';
import type { Finding } from '../finding.ts';
import type { ClusterQuestion, ClusterRule } from './rule.ts';

/**
 * SVC-027: a Service of type NodePort may be behind a load balancer that is not derived from a Service (that of an Ingress or a Gateway, or one made by
 * hand). Its targets are not observed, so nothing waits for them. Where its pods are the targets, they are, and where an object of the cluster names
 * target groups of nodes that are found. Where one says that there is a load balancer that is not, the run is refused, unless the policy accepts the
 * loss.
 */
export const svc027NodePort: ClusterRule = (question) => {
  const { facts, nodes } = question;
  const names = new Set(nodes.map((node) => node.name));
  return facts.cluster.services.flatMap((service): Finding[] => {
    const { type, nodePortBalancers, endpoints } = service;
    if (nodePortBalancers !== undefined) return judge(service, question);
    if (type !== 'NodePort' || hasItsPodsObserved(service, facts)) return [];
    if (!endpoints.some(({ node }) => node !== undefined && names.has(node))) return [];
    return [
      {
        rule: 'SVC-027',
        severity: 'warning' as const,
        subject: `service ${service.key}`,
        message: 'of type NodePort: a load balancer that sends to it is not seen, and not waited for',
        hint: 'If an Ingress or a target group of your own sends to it, deregister the nodes there yourself, or do not run.',
        leavesUnprotected: true,
      },
    ];
  });
};

function judge(service: ServiceFacts, { facts, nodes, policy }: ClusterQuestion): Finding[] {
  const { key } = service;
  const unobserved = findUnobserved(service, facts);
  const touch = describeImpact({ service: key, why: 'unknown-load-balancer' }, facts, nodes);
  if (unobserved === undefined || touch === undefined) return [];
  const { hint } = unobserved.balancer;
  const told = { rule: 'SVC-027', subject: `service ${key}`, leavesUnprotected: true } as const;
  const message = `${unobserved.told}; ${touch} to replace`;
  if (policy.guard.acceptUnprotected.includes(key)) return [{ ...told, severity: 'error', message, hint }];
  const accepting = `${hint} Or list it in spec.guard.acceptUnprotected: it may lose connections then.`;
  return [{ ...told, severity: 'blocker', message, hint: accepting, acceptableFor: [key] }];
}

/** Whether every group of pods that the objects of the cluster name for the Service was found behind a load balancer. */
function hasItsPodsObserved({ key, podGroups }: ServiceFacts, facts: ServingFacts): boolean {
  if (podGroups === undefined) return false;
  const groups = targetGroupsOf(key, facts);
  return podGroups.names.every((named) => groups.some(({ id, name }) => id === named || name === named));
}
