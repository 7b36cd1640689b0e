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
 * Why none of the nodes may step out: a Service was protected when the run began and no longer is, because its load balancer was
 * exchanged or lost its tags meanwhile. Its target groups are not seen any more, so no wait would notice that they still send.
 */
export function findLostProtection(question: {
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  readonly nodes: readonly NodeRef[];
  readonly policy: Policy;
}): string | undefined {
  const { facts, services, nodes, policy } = question;
  const seen = new Set(facts.targetGroups.map((group) => group.id));
  for (const fact of facts.unsupported) {
    const plan = services.find((candidate) => candidate.service === fact.service);
    if (plan === undefined || plan.targetGroups.every((id) => seen.has(id)) || isAccepted(fact, policy)) continue;
    const touch = describeTouch(fact, facts, nodes);
    if (touch !== undefined) return `${fact.service} can no longer be protected, and ${touch}: ${fact.detail}`;
  }
  return undefined;
}
