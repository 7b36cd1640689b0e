import { balancedServices } from '../guard/serving.ts';
import type { ServingFacts } from '../model/serving.ts';
import { type DeregistrationFacts, hasPods, type TargetGroupFacts } from '../model/target-group.ts';
import { defaultPropagationMs, type Policy, type WaitPolicy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';

/** Lag of load balancers that are not known to be slower, ms. */
const usualUnhealthyLagMs = 5_000;

/**
 * Maximum time, ms, for which new connections still arrive at a pod that is evicted while its node is in the load balancer, under policy Local: its
 * node's health check fails as soon as it terminates (kubernetes pkg/proxy/healthcheck/service_health.go), and the load balancer has to notice.
 */
export function evictionReactionMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  return waits.endpointPropagationMs + detectionMs(group) + (group.unhealthyLagMs ?? usualUnhealthyLagMs);
}

/** Time that a load balancer controller takes to notice a change, where nothing more is known, ms. */
const usualControllerMs = 15_000;

/**
 * How long new connections may still arrive at a pod that is a target itself, after it was told to stop: its controller deregisters it then, and the
 * change has to propagate. A policy with a longer propagation than the default knows better than what is expected of load balancers of that sort.
 * What is observed of a pod is waited for in any case; this is asked of pods that nobody can wait for.
 */
export function podDeregistration(
  { deregistration }: Pick<TargetGroupFacts, 'deregistration'>,
  { propagationMs: asked }: WaitPolicy,
): DeregistrationFacts {
  if (deregistration === undefined) return { controllerMs: usualControllerMs, propagationMs: asked };
  const { controllerMs, propagationMs } = deregistration;
  return {
    controllerMs,
    propagationMs: asked > defaultPropagationMs ? asked : Math.min(asked, propagationMs),
  };
}

/** Both together, ms. */
export function podDetachMs(group: Pick<TargetGroupFacts, 'deregistration'>, waits: WaitPolicy): number {
  const { controllerMs, propagationMs } = podDeregistration(group, waits);
  return controllerMs + propagationMs;
}

/**
 * Maximum time, ms, until a health check that begins to fail has failed often enough. `(U+1)·I` is the bound of the source-IP preservation proposal for
 * Services. `U·I + timeout` covers health checks that do not respond.
 */
function detectionMs({ healthCheck: { intervalMs, timeoutMs, unhealthyThreshold } }: TargetGroupFacts): number {
  return Math.max((unhealthyThreshold + 1) * intervalMs, unhealthyThreshold * intervalMs + timeoutMs);
}

/**
 * Wait, ms, between the observed deregistration and the first eviction. New connections may arrive for the propagation time after a target has
 * begun to drain, and established ones continue for the deregistration delay (Elastic Load Balancing user guide for Network Load Balancers,
 * target group attributes). The longer of the two applies. 0 without a target group.
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

/** How long connections that a node forwards to other nodes may live, and how that is known. */
interface ForwardedAge {
  readonly ms: number;
  /**
   * `age`: the server closes them. `load-balancer`: it closes them at the end of the deregistration delay. `unknown`: nothing is known to
   * close them. `none`: the node forwards no connections.
   */
  readonly endedBy: 'age' | 'load-balancer' | 'unknown' | 'none';
}

/**
 * Age, ms, at which the connections that a node forwards to pods on other nodes have ended. Only policy Cluster has such connections, and none where pods are targets. With
 * policy Local a node forwards only to its own pods (Kubernetes documentation, "Source IP for Services with Type=LoadBalancer").
 */
export function forwardedAge(
  service: string,
  externalTrafficPolicy: 'Local' | 'Cluster',
  groups: readonly TargetGroupFacts[],
  policy: Policy,
): ForwardedAge {
  const ofNodes = groups.filter((group) => !hasPods(group));
  if (externalTrafficPolicy === 'Local' || ofNodes.length === 0) return { ms: 0, endedBy: 'none' };
  const ages = policy.waits.maxConnectionAgeMs;
  const age = ages[service] ?? ages['*'];
  if (age !== undefined) return { ms: age, endedBy: 'age' };
  const maxDelay = Math.max(...ofNodes.map((group) => group.deregistrationDelayMs));
  const cut = ofNodes.every((group) => group.terminatesConnectionsAfterDelay === true);
  return { ms: maxDelay, endedBy: cut ? 'load-balancer' : 'unknown' };
}

/** Maximum wait, ms, that any load balancer of nodes with its present settings needs between the observed deregistration and the first eviction. */
export function maxConnectionDrainMs(facts: ServingFacts, policy: Policy): number {
  const ofNodes = [...balancedServices(facts).values()].map(({ groups }) => groups.filter((group) => !hasPods(group)));
  return Math.max(0, ...ofNodes.map((groups) => connectionDrainMs(groups, policy)));
}

/**
 * Earliest time (epoch ms) at which the instance of a node may be terminated, given when the node was deregistered. The last new connection
 * through it may arrive one propagation time later, and lives for the connection age of the Service.
 */
export function terminationNotBefore(facts: ServingFacts, deregisteredAt: number, policy: Policy): number {
  if (!isEnabled(policy, 'wait-for-forwarded-connections')) return deregisteredAt;
  const ages = [...balancedServices(facts).values()].map(
    ({ service, groups }) => forwardedAge(service.key, service.externalTrafficPolicy, groups, policy).ms,
  );
  const longest = Math.max(0, ...ages);
  return longest === 0 ? deregisteredAt : deregisteredAt + policy.waits.propagationMs + longest + policy.waits.marginMs;
}

/** Maximum time, ms, from a pod becoming Ready on a registered node until its target is healthy: one health check more than the threshold. */
export function podToHealthyMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  return waits.endpointPropagationMs + (group.healthCheck.healthyThreshold + 1) * group.healthCheck.intervalMs;
}

/** Maximum time, ms, from a node joining until a pod on it serves. Registration is assumed to take as long as propagation. Health checks follow. */
export function nodeToHealthyMs(group: TargetGroupFacts, waits: WaitPolicy): number {
  return waits.propagationMs + podToHealthyMs(group, waits) + waits.marginMs;
}

/** Wait, ms, between removing a pod from the endpoints of its Services and evicting it: the change must reach the EndpointSlices and every kube-proxy. */
export function endpointRemovalMs(waits: WaitPolicy): number {
  return waits.endpointPropagationMs + waits.marginMs;
}
