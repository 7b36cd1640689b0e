import { balancedServices } from '../guard/serving.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import type { Policy, ProtectiveRule, WaitPolicy } from '../policy/policy.ts';

/** True unless the policy switches the rule off for an experiment. */
export function isEnabled(policy: Pick<Policy, 'disabledRules'>, rule: ProtectiveRule): boolean {
  return !policy.disabledRules.includes(rule);
}

/**
 * Longest time, ms, in which new connections still arrive after a target's health check turns bad. `(U+1)·I` is the bound of the
 * source-IP preservation proposal for Services; `U·I + timeout` covers probes that hang. Lag inside the load balancer is the
 * policy's propagation.
 */
export function healthCheckWindowMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  const { intervalMs, timeoutMs, unhealthyThreshold } = group.healthCheck;
  const detected = Math.max((unhealthyThreshold + 1) * intervalMs, unhealthyThreshold * intervalMs + timeoutMs);
  return waits.endpointPropagationMs + detected + waits.propagationMs;
}

/**
 * Wait, ms, between observed deregistration and the first eviction. New connections may arrive for the propagation time after a
 * target has begun to drain, and established ones live on for the deregistration delay (Elastic Load Balancing user guide for
 * Network Load Balancers, target group attributes); the longer of the two rules. 0 without a target group.
 */
export function connectionDrainMs(groups: readonly TargetGroupFacts[], policy: Policy): number {
  if (groups.length === 0) return 0;
  const propagation = isEnabled(policy, 'wait-for-propagation') ? policy.waits.propagationMs : 0;
  const deregistration = isEnabled(policy, 'wait-for-deregistration')
    ? Math.max(...groups.map((group) => group.deregistrationDelayMs))
    : 0;
  const longest = Math.max(propagation, deregistration);
  return longest === 0 ? 0 : longest + policy.waits.marginMs;
}

/** How long connections that merely pass through a node may live, and whether that is known or hoped. */
export interface ForwardedAge {
  readonly ms: number;
  /** `age`: the server ends them; `load-balancer`: it breaks them at the end of the delay; `unknown`: nobody is known to; `none`: there are none. */
  readonly endedBy: 'age' | 'load-balancer' | 'unknown' | 'none';
}

/**
 * Age, ms, at which connections through a node to pods elsewhere have ended. Only policy Cluster has such connections: under Local
 * a node forwards to its own pods alone (Kubernetes documentation, "Source IP for Services with Type=LoadBalancer").
 */
export function forwardedAge(
  service: string,
  externalTrafficPolicy: 'Local' | 'Cluster',
  groups: readonly TargetGroupFacts[],
  policy: Policy,
): ForwardedAge {
  if (externalTrafficPolicy === 'Local' || groups.length === 0) return { ms: 0, endedBy: 'none' };
  const ages = policy.waits.maxConnectionAgeMs;
  const age = ages[service] ?? ages['*'];
  if (age !== undefined) return { ms: age, endedBy: 'age' };
  const maxDelay = Math.max(...groups.map((group) => group.deregistrationDelayMs));
  const cut = groups.every((group) => group.terminatesConnectionsAfterDelay);
  return { ms: maxDelay, endedBy: cut ? 'load-balancer' : 'unknown' };
}

/** Longest wait, ms, that any load balancer needs between observed deregistration and the first eviction, as they are set now. */
export function longestConnectionDrainMs(facts: ServingFacts, policy: Policy): number {
  return Math.max(0, ...[...balancedServices(facts).values()].map(({ groups }) => connectionDrainMs(groups, policy)));
}

/**
 * Earliest moment (epoch ms) at which a node's machine may go, given when it was observed out: the last new connection through it
 * may have come a propagation later, and lives for the Service's connection age.
 */
export function terminationNotBefore(facts: ServingFacts, deregisteredAt: number, policy: Policy): number {
  if (!isEnabled(policy, 'wait-for-forwarded-connections')) return deregisteredAt;
  const ages = [...balancedServices(facts).values()].map(
    ({ service, groups }) => forwardedAge(service.key, service.externalTrafficPolicy, groups, policy).ms,
  );
  const longest = Math.max(0, ...ages);
  return longest === 0 ? deregisteredAt : deregisteredAt + policy.waits.propagationMs + longest + policy.waits.marginMs;
}

/** Longest time, ms, from a pod turning Ready on a registered node until its target is healthy: one probe more than the threshold. */
export function podToHealthyMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  return waits.endpointPropagationMs + (group.healthCheck.healthyThreshold + 1) * group.healthCheck.intervalMs;
}

/** Longest time, ms, from a node's joining until a pod on it serves: registration is taken as long as propagation, then health checks. */
export function nodeToHealthyMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  return waits.propagationMs + podToHealthyMs(group, waits) + waits.marginMs;
}

/** Time, ms, that must pass until what is seen after an outage of the API server can be relied on; 0 when none was, or it has settled. */
export function outageSettlesInMs(
  { outageAt }: Pick<ClusterFacts, 'outageAt'>,
  { stabilizationAfterOutageMs }: Pick<WaitPolicy, 'stabilizationAfterOutageMs'>,
  now: number,
): number {
  return outageAt === undefined ? 0 : Math.max(0, outageAt + stabilizationAfterOutageMs - now);
}

/** Wait, ms, between taking a pod out of its Services' endpoints and evicting it: EndpointSlices and every kube-proxy must know. */
export function endpointRemovalMs(waits: WaitPolicy): number {
  return waits.endpointPropagationMs + waits.marginMs;
}
