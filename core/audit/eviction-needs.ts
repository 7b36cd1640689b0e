import { isNodeBound } from '../eviction/node-bound.ts';
import { targetGroupsOf } from '../guard/serving.ts';
import { onceFor } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import { preStopOf } from '../model/pre-stop.ts';
import { hostGroupsOf } from '../model/reach.ts';
import { mayHaveNodeTargets, type ServiceFacts } from '../model/service.ts';
import { hasPods, type TargetGroupFacts } from '../model/target-group.ts';
import { type ClusterQuestion, podsToMove } from '../plan/audit/rule.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { formatDuration } from '../text/format.ts';
import { connectionDrainMs, evictionReactionMs, podDeregistration } from '../waits/formulas.ts';
import { checksTrafficPort } from './traffic-port.ts';

/** Added to what the formulas say, ms. */
const preStopMarginMs = 2_000;

/** What an eviction demands of a pod while its node, or the pod itself, is still a target: it must serve on for that long after it was told to stop. */
interface EvictionNeed {
  readonly service: ServiceFacts;
  /** Target groups of the Service; empty when none was observed. */
  readonly groups: readonly TargetGroupFacts[];
  /** Those that send to a node for its own pods. */
  readonly hostGroups: readonly TargetGroupFacts[];
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
  /** Whether a load balancer sends to it: that of a Service of type LoadBalancer, or another one that is known. */
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
    return [{ pod, need, services, isBalanced: needs.some(isBehindBalancer) }];
  });
});

function isBehindBalancer({ service, groups }: EvictionNeed): boolean {
  return mayHaveNodeTargets(service) || groups.some(hasPods);
}

/** The strictest of the target groups decides, since a pod has one preStop hook for all. */
function needOf(service: ServiceFacts, { facts, policy: { waits } }: ClusterQuestion): EvictionNeed {
  const groups = targetGroupsOf(service.key, facts);
  const hostGroups = hostGroupsOf(service, groups);
  const isOfOthers = facts.unsupported.some((fact) => fact.service === service.key && fact.why === 'other-targets');
  const [slowest] = [
    ...(isOfOthers ? [untilDeregistered({}, waits)] : []),
    ...groups.filter(hasPods).map((group) => untilDeregistered(group, waits)),
    // A check that asks the pods themselves passes until they are gone, however long they serve before.
    ...hostGroups.filter((group) => !checksTrafficPort(group, service)).map((group) => untilUnhealthy(group, waits)),
  ].toSorted((a, b) => b.preStopMs - a.preStopMs);
  const propagation = {
    preStopMs: waits.endpointPropagationMs,
    because: `every kube-proxy sends to it for up to ${formatDuration(waits.endpointPropagationMs)} more`,
  };
  const common = { service, groups, hostGroups };
  if (slowest !== undefined)
    return { ...common, isLeast: false, ...(slowest.preStopMs < propagation.preStopMs ? propagation : slowest) };
  const isUnread = groups.length === 0 && service.type === 'LoadBalancer' && service.externalTrafficPolicy === 'Local';
  if (!isUnread) return { ...common, isLeast: false, ...propagation };
  const because = `${propagation.because}, and its load balancer, which was not read, longer`;
  return { ...common, isLeast: true, preStopMs: propagation.preStopMs, because };
}

type Span = Pick<EvictionNeed, 'preStopMs' | 'because'>;

/** Where the pod is a target itself. */
function untilDeregistered(group: Pick<TargetGroupFacts, 'deregistration'>, waits: WaitPolicy): Span {
  const { controllerMs, propagationMs } = podDeregistration(group, waits);
  const preStopMs = controllerMs + propagationMs;
  const because = `its load balancer sends to the pod itself for up to ${formatDuration(preStopMs)} more (${formatDuration(controllerMs)} until it is deregistered, ${formatDuration(propagationMs)} of propagation)`;
  return { preStopMs, because };
}

/** Where its node is a target for its own pods alone. */
function untilUnhealthy(group: TargetGroupFacts, waits: WaitPolicy): Span {
  const reactionMs = evictionReactionMs(group, waits);
  const because = `${group.name} sends to its node for up to ${formatDuration(reactionMs)} more (${describeCheck(group)})`;
  return { preStopMs: reactionMs + preStopMarginMs, because };
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
  if (need.hostGroups.length === 0 || readiness === undefined) return undefined;
  const endMs = connectionDrainMs(need.hostGroups, policy);
  const seconds = Math.min(pod.terminationGracePeriodSeconds, Math.ceil((need.preStopMs + endMs) / 1000));
  const failures = Math.max(1, Math.ceil((seconds - preStopOf(pod)) / readiness.periodSeconds) + 1);
  return { seconds, failures };
}

interface FailuresToOutlast {
  /** How long connections may last after an eviction. */
  readonly seconds: number;
  readonly failures: number;
}
