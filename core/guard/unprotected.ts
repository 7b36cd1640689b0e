import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { UnsupportedServiceFacts } from '../model/unsupported-service.ts';
import type { ServicePlan } from '../plan/pool-plan.ts';
import type { Policy } from '../policy/policy.ts';

/** How connections of a Service run over nodes, in words; undefined when none does. */
export function describeTouch(
  { service: key, why }: UnsupportedServiceFacts,
  { cluster }: ServingFacts,
  nodes: readonly NodeRef[],
): string | undefined {
  const service = cluster.services.find((candidate) => candidate.key === key);
  if (service === undefined || nodes.length === 0) return undefined;
  const names = new Set(nodes.map((node) => node.name));
  if (service.endpoints.some(({ node }) => node !== undefined && names.has(node)))
    return 'it has endpoints on the nodes';
  // Under policy Cluster a load balancer with nodes as targets sends to every node, wherever the pods are.
  const passes = service.externalTrafficPolicy === 'Cluster' && why !== 'other-targets';
  return passes ? 'policy Cluster lets its connections pass through the nodes' : undefined;
}

/** Whether the policy accepts that the Service loses connections. */
export function isAccepted({ service }: UnsupportedServiceFacts, policy: Policy): boolean {
  return policy.guard.acceptUnprotected.includes(service);
}

/**
 * Why what is seen proves nothing about these nodes: a Service was protected when the run began and no longer is, because its load
 * balancer was exchanged, lost its tags or is not named any more. Its target groups are not seen, so no wait would notice that they
 * still send. A Service that is gone, or no longer has a load balancer, needs no protection.
 */
export function findLostProtection(question: {
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  readonly nodes: readonly NodeRef[];
  readonly policy: Policy;
}): string | undefined {
  const { facts, services, nodes, policy } = question;
  const seen = new Set(facts.targetGroups.map((group) => group.id));
  for (const plan of services) {
    if (plan.targetGroups.every((id) => seen.has(id))) continue;
    const fact = facts.unsupported.find(({ service }) => service === plan.service) ?? findVanished(plan, facts);
    if (fact === undefined || isAccepted(fact, policy)) continue;
    const touch = describeTouch(fact, facts, nodes);
    if (touch !== undefined) return `${plan.service} can no longer be protected, and ${touch}: ${fact.detail}`;
  }
  return undefined;
}

/** A Service with a load balancer of which nothing is seen any more, though nobody says why. */
function findVanished(plan: ServicePlan, { cluster, targetGroups }: ServingFacts): UnsupportedServiceFacts | undefined {
  const service = cluster.services.find(({ key }) => key === plan.service);
  if (service?.type !== 'LoadBalancer' || targetGroups.some((group) => group.service === plan.service))
    return undefined;
  return {
    service: plan.service,
    why: 'unknown-load-balancer',
    detail: 'its status names no load balancer any more',
    hint: 'Look at its controller.',
  };
}
