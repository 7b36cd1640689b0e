import type { NodeRef } from '../model/node.ts';
import { reachOf } from '../model/reach.ts';
import type { ServingFacts } from '../model/serving.ts';
import { balancedServices } from './serving.ts';

/**
 * Keys of the Services with a load balancer that concern the node: those with an endpoint on it, and those of policy Cluster, whose connections
 * enter on any node. Other Services do not matter for its replacement.
 */
export function servicesAffected({ name }: NodeRef, facts: ServingFacts): readonly string[] {
  const balanced = balancedServices(facts);
  return facts.cluster.services
    .filter(({ key, type }) => type === 'LoadBalancer' || balanced.has(key))
    .filter((service) => {
      const isOnAny = reachOf(service, balanced.get(service.key)?.groups ?? []) === 'node';
      return isOnAny || service.endpoints.some(({ node }) => node === name);
    })
    .map(({ key }) => key);
}
