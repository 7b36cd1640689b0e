import { selects } from '../drain/services-of-pod.ts';
import { needsUnlist } from '../drain/unlist.ts';
import { computeFloor } from '../guard/floors.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { drainMs, transitAge } from '../waits/formulas.ts';
import type { ServicePlan } from './pool-plan.ts';

/**
 * Plans every Service that the pool carries: those with target groups and those with an endpoint on a node of the pool, by key. An
 * unsupported Service that the policy accepts is guarded by what is seen of it; without target groups it is one without a load balancer.
 */
export function planServices(facts: ServingFacts, policy: Policy): readonly ServicePlan[] {
  const old = new Set(facts.cluster.nodes.filter((node) => node.pool === policy.pool.name).map((node) => node.name));
  return facts.cluster.services
    .filter((service) => isCarried(service, facts, old))
    .toSorted((a, b) => compareText(a.key, b.key))
    .map((service) => planService(service, facts, policy));
}

function isCarried(service: ServiceFacts, facts: ServingFacts, old: ReadonlySet<string>): boolean {
  return (
    facts.targetGroups.some((group) => group.service === service.key) ||
    service.endpoints.some((endpoint) => endpoint.node !== undefined && old.has(endpoint.node))
  );
}

function planService(service: ServiceFacts, facts: ServingFacts, policy: Policy): ServicePlan {
  const groups = facts.targetGroups.filter((group) => group.service === service.key);
  return {
    service: service.key,
    externalTrafficPolicy: service.externalTrafficPolicy,
    targetGroups: groups.map((group) => group.id),
    floor: computeFloor(service, facts, policy),
    drainMs: drainMs(groups, policy),
    transitMs: transitAge(service.key, service.externalTrafficPolicy, groups, policy).ms,
    unlist: facts.cluster.pods.some((pod) => selects(service, pod) && needsUnlist(pod, facts.cluster.services, policy)),
  };
}
