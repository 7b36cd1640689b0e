import { isRemovalDenied, needsRemoval } from '../eviction/endpoint-removal.ts';
import type { ServiceBaseline } from '../guard/baseline.ts';
import { computeMinServing } from '../guard/min-serving.ts';
import { balancedServices, stateOf } from '../guard/serving.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import { oldNodes } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { connectionDrainMs, forwardedAge } from '../waits/formulas.ts';
import type { ServicePlan } from './pool-plan.ts';

/**
 * Plans every Service that the pool carries: those with target groups and those with an endpoint on a node of the pool, by key. For an
 * unsupported Service that the policy accepts, the guard uses what is observed of it. Without target groups it counts as a Service without a load
 * balancer.
 */
export function planServices(
  facts: ServingFacts,
  policy: Policy,
  baselines: readonly ServiceBaseline[],
): readonly ServicePlan[] {
  const old = new Set(oldNodes(facts.cluster, policy).map((node) => node.name));
  const known = new Map(baselines.map((baseline) => [baseline.service, baseline]));
  return facts.cluster.services
    .filter((service) => isCarried(service, facts, old))
    .toSorted((a, b) => compareText(a.key, b.key))
    .map((service) => planService(service, facts, policy, known.get(service.key)));
}

function isCarried(service: ServiceFacts, facts: ServingFacts, old: ReadonlySet<string>): boolean {
  return (
    balancedServices(facts).has(service.key) ||
    service.endpoints.some((endpoint) => endpoint.node !== undefined && old.has(endpoint.node))
  );
}

function planService(
  service: ServiceFacts,
  facts: ServingFacts,
  policy: Policy,
  baseline: ServiceBaseline | undefined,
): ServicePlan {
  const state = stateOf(service, facts);
  const { groups } = state;
  const { podsByUid } = indexOf(facts.cluster);
  const pods = service.endpoints.flatMap(({ podUid }) => podsByUid.get(podUid ?? '') ?? []);
  const removeEndpoints = pods.some((pod) => needsRemoval(pod, facts.cluster, policy));
  const isDenied = !removeEndpoints && pods.some((pod) => isRemovalDenied(pod, facts.cluster));
  return {
    service: service.key,
    externalTrafficPolicy: service.externalTrafficPolicy,
    targetGroups: groups.map((group) => group.id),
    minServing: computeMinServing(state, facts, policy, baseline),
    connectionDrainMs: connectionDrainMs(groups, policy),
    forwardedMs: forwardedAge(service.key, service.externalTrafficPolicy, groups, policy).ms,
    removeEndpoints,
    ...(isDenied ? { removalDenied: true } : {}),
  };
}
