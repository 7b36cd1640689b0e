import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { UnsupportedServiceFacts } from '../model/unsupported-service.ts';
import type { Policy } from '../policy/policy.ts';
import type { ServiceBaseline } from './baseline.ts';
import { balancedServices } from './serving.ts';
import { findUnobserved } from './unobserved.ts';

/** How connections of a Service pass through nodes, in words. Undefined when none do. */
export function describeImpact(
  { service: key, why }: Pick<UnsupportedServiceFacts, 'service' | 'why'>,
  { cluster }: ServingFacts,
  nodes: readonly NodeRef[],
): string | undefined {
  const service = indexOf(cluster).service(key);
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
 * Why the observation says nothing reliable about these nodes: the load balancer of a Service that they may carry cannot be watched, because it
 * was replaced, lost its tags, is no longer named, or came with a new Service or Ingress. Its target groups are not observed, so no wait would notice
 * that they still send. A Service that is gone, or no longer has a load balancer, needs no protection.
 */
export function findLostProtection(question: {
  readonly facts: ServingFacts;
  readonly baselines: readonly ServiceBaseline[];
  readonly nodes: readonly NodeRef[];
  readonly policy: Policy;
}): string | undefined {
  const { facts, baselines, nodes, policy } = question;
  const vanished = baselines.flatMap((baseline) => findVanished(baseline, facts) ?? []);
  const unobserved = facts.cluster.services.flatMap((service) => explainUnobserved(service, facts) ?? []);
  for (const fact of [...facts.unsupported, ...vanished, ...unobserved]) {
    if (isAccepted(fact, policy)) continue;
    const touch = describeImpact(fact, facts, nodes);
    if (touch !== undefined)
      return `${fact.service} can't be protected, and ${touch}: ${fact.detail}${explainAcceptance(fact, policy)}`;
  }
  return undefined;
}

/** The way out of a Service that nobody will change: an operator accepts that it may lose connections. */
function explainAcceptance({ service }: UnsupportedServiceFacts, { cluster, pool }: Policy): string {
  const command = `nodeferry accept-unprotected ${cluster.name}/${pool.name} ${service} --reason <why>`;
  return `. If it may lose connections: ${command}`;
}

/** A Service that served behind a load balancer that is no longer observed, without a known reason. */
function findVanished(baseline: ServiceBaseline, facts: ServingFacts): UnsupportedServiceFacts | undefined {
  const service = indexOf(facts.cluster).service(baseline.service);
  const isReported = facts.unsupported.some((fact) => fact.service === baseline.service);
  if (service?.type !== 'LoadBalancer' || isReported || balancedServices(facts).has(baseline.service)) return undefined;
  return {
    service: baseline.service,
    why: 'unknown-load-balancer',
    detail: 'its status no longer names a load balancer',
    hint: 'Check its controller.',
  };
}

/** A load balancer of another object that sends to the Service through nodes, and is not observed. */
function explainUnobserved(service: ServiceFacts, facts: ServingFacts): UnsupportedServiceFacts | undefined {
  const found = findUnobserved(service, facts);
  if (found === undefined) return undefined;
  return {
    service: service.key,
    why: 'unknown-load-balancer',
    detail: found.told,
    hint: found.balancer.hint,
  };
}
