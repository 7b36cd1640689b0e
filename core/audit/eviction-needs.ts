import { isNodeBound } from '../eviction/node-bound.ts';
import { balancedServices } from '../guard/serving.ts';
import { onceFor } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import { preStopOf } from '../model/pre-stop.ts';
import type { ServiceFacts } from '../model/service.ts';
import { hasPods, type TargetGroupFacts } from '../model/target-group.ts';
import { type ClusterQuestion, podsToMove } from '../plan/audit/rule.ts';
import { formatDuration } from '../text/format.ts';
import { connectionDrainMs, controllerMs, evictionReactionMs, podDetachMs } from '../waits/formulas.ts';

/** Added to what the formulas say, ms. */
const preStopMarginMs = 2_000;

/** What an eviction demands of a pod while its node, or the pod itself, is still a target: it must serve on for that long after it was told to stop. */
interface EvictionNeed {
  readonly service: ServiceFacts;
  /** Target groups of the Service; empty when none was observed. */
  readonly groups: readonly TargetGroupFacts[];
  /** Least preStop time, ms. */
  readonly preStopMs: number;
  /** Its load balancer was not observed, and needs more. */
  readonly isLeast: boolean;
  /** Who sends connections meanwhile, with the numbers. It begins in the middle of a sentence. */
  readonly because: string;
}

/** A pod that would be evicted, with the strictest need of its Services. */
interface EvictedPod {
  readonly pod: PodFacts;
  readonly need: EvictionNeed;
  /** All Services that send to it. */
  readonly services: readonly ServiceFacts[];
  /** Whether a Service of type LoadBalancer sends to it. */
  readonly isBalanced: boolean;
}

/** The pods on the audited nodes that would be evicted and that Services send to. */
export const evictedPods = onceFor((question: ClusterQuestion): readonly EvictedPod[] => {
  return podsToMove(question).flatMap((pod) => {
    if (isNodeBound(pod)) return [];
    const services = servicesOf(pod, question.facts.cluster).filter((service) => isReadyEndpoint(pod, service));
    const needs = services.map((service) => needOf(service, question));
    const [need] = needs.toSorted((a, b) => b.preStopMs - a.preStopMs);
    if (need === undefined) return [];
    return [{ pod, need, services, isBalanced: services.some(({ type }) => type === 'LoadBalancer') }];
  });
});

/** The strictest of the target groups decides, since a pod has one preStop hook for all. */
function needOf(service: ServiceFacts, { facts, policy: { waits } }: ClusterQuestion): EvictionNeed {
  const groups = balancedServices(facts).get(service.key)?.groups ?? [];
  const propagation = {
    service,
    groups,
    preStopMs: waits.endpointPropagationMs,
    isLeast: false,
    because: `every kube-proxy sends to it for up to ${formatDuration(waits.endpointPropagationMs)} more`,
  };
  const unwatched = facts.unsupported.some((fact) => fact.service === service.key && fact.why === 'other-targets');
  if (unwatched || groups.some(hasPods)) {
    const preStopMs = podDetachMs(waits);
    const because = `its load balancer sends to the pod itself for up to ${formatDuration(preStopMs)} more (${formatDuration(controllerMs)} until it is deregistered, ${formatDuration(waits.propagationMs)} of propagation)`;
    return { ...propagation, preStopMs, because };
  }
  if (service.externalTrafficPolicy !== 'Local') return propagation;
  const [slowest] = groups.toSorted((a, b) => evictionReactionMs(b, waits) - evictionReactionMs(a, waits));
  if (slowest === undefined) {
    if (service.type !== 'LoadBalancer') return propagation;
    return {
      ...propagation,
      isLeast: true,
      because: `${propagation.because}, and its load balancer, which was not read, longer`,
    };
  }
  const reactionMs = evictionReactionMs(slowest, waits);
  return {
    ...propagation,
    preStopMs: reactionMs + preStopMarginMs,
    because: `${slowest.name} sends to its node for up to ${formatDuration(reactionMs)} more (${describeCheck(slowest)})`,
  };
}

function describeCheck({ healthCheck: { intervalMs, unhealthyThreshold } }: TargetGroupFacts): string {
  return `health check every ${formatDuration(intervalMs)}, ${unhealthyThreshold} failures`;
}

/**
 * How many failures in a row its readiness probe must tolerate, so that a pod that fails it from the moment it is told to stop stays an endpoint while
 * connections may last: through the eviction and the drain time of its load balancers, or its grace period. Undefined where no node is a target for
 * its own pods alone.
 */
export function failuresToOutlast(
  { pod, need }: EvictedPod,
  { policy }: ClusterQuestion,
): FailuresToOutlast | undefined {
  const { readiness } = pod.lifecycle ?? {};
  if (need.service.externalTrafficPolicy !== 'Local' || need.groups.length === 0 || readiness === undefined)
    return undefined;
  const endMs = connectionDrainMs(need.groups, policy);
  const seconds = Math.min(pod.terminationGracePeriodSeconds, Math.ceil((need.preStopMs + endMs) / 1000));
  const failures = Math.max(1, Math.ceil((seconds - preStopOf(pod)) / readiness.periodSeconds) + 1);
  return { seconds, failures };
}

interface FailuresToOutlast {
  /** How long connections may last after an eviction. */
  readonly seconds: number;
  readonly failures: number;
}
