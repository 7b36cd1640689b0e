import type { NodeBalancerFacts, ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import { listNames } from '../text/format.ts';
import { balancedServices } from './serving.ts';

/** A load balancer that was made for another object than the Service, and that is not observed. */
interface UnobservedBalancer {
  readonly balancer: NodeBalancerFacts;
  /** What that means, with names. It begins in the middle of a sentence. */
  readonly told: string;
}

/** The first load balancer that sends to the Service through nodes of which a target group was not found, or that names none. */
export function findUnobserved(
  { key, nodeBalancers = [] }: ServiceFacts,
  facts: ServingFacts,
): UnobservedBalancer | undefined {
  const found = new Set(
    nodeBalancers.length === 0
      ? []
      : balancedServices(facts)
          .get(key)
          ?.groups.map(({ name }) => name),
  );
  for (const balancer of nodeBalancers) {
    const { by, groups } = balancer;
    const missing = groups.filter((name) => !found.has(name));
    if (groups.length === 0)
      return {
        balancer,
        told: `the load balancer of ${by} sends to it through nodes, which is not seen, and not waited for`,
      };
    if (missing.length > 0)
      return {
        balancer,
        told: `the load balancer of ${by} sends to it through nodes of ${listNames(missing)}, which was not found, and is not waited for`,
      };
  }
  return undefined;
}
