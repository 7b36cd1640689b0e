import type { NodePortBalancerFacts, ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import { listNames } from '../text/format.ts';
import { targetGroupsOf } from './serving.ts';

/** A load balancer that was made for another object than the Service, and that is not observed. */
interface UnobservedBalancer {
  readonly balancer: NodePortBalancerFacts;
  /** What that means, with names. It begins in the middle of a sentence. */
  readonly told: string;
}

/** The first load balancer of another object that sends to the Service through nodes, and that names no target groups or one that was not found. */
export function findUnobserved(service: ServiceFacts, facts: ServingFacts): UnobservedBalancer | undefined {
  for (const balancer of service.nodePortBalancers ?? []) {
    const { by, groups } = balancer;
    const observed = targetGroupsOf(service.key, facts);
    const missing = groups.filter((named) => !observed.some(({ name }) => name === named));
    const told = `the load balancer of ${by} sends to it through nodes`;
    if (groups.length === 0) return { balancer, told: `${told}, which is not seen, and not waited for` };
    if (missing.length > 0)
      return { balancer, told: `${told} of ${listNames(missing)}, which was not found, and is not waited for` };
  }
  return undefined;
}
