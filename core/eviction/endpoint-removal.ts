import { indexOf } from '../model/cluster-index.ts';
import { isEndpoint, isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts, PodRef } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy, WaitPolicy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { compareText, listNames } from '../text/format.ts';
import { endpointRemovalMs } from '../waits/formulas.ts';
import { type BlockedPod, blockedPod, keepTimes, type LaggingSince, type RemovedSince } from './actions.ts';
import { policiesThatMiss } from './network-policies.ts';
import { explainUnpropagated } from './outage.ts';

/**
 * Labels whose removal takes the pod out of all its Services' endpoints: the fewest, and where there is a choice ones that no network
 * policy goes by, nor its ReplicaSet, so that what it may talk to and who owns it stay as they are. Empty when no Service selects the pod.
 */
export function selectLabels(pod: PodFacts, cluster: ClusterFacts): readonly string[] {
  const all = servicesOf(pod, cluster);
  let left = all;
  const chosen: string[] = [];
  while (left.length > 0) {
    const keys = [...new Set(left.flatMap((service) => Object.keys(service.selector)))];
    const best = keys.toSorted(
      (a, b) => rank(a, pod, left, cluster) - rank(b, pod, left, cluster) || compareText(a, b),
    )[0];
    if (best === undefined) break;
    chosen.push(best);
    left = left.filter((service) => !(best in service.selector));
  }
  // A label chosen late may do the work of one chosen early.
  let needed: readonly string[] = chosen;
  for (const key of chosen) {
    const others = needed.filter((other) => other !== key);
    if (all.every((service) => others.some((other) => other in service.selector))) needed = others;
  }
  return needed.toSorted(compareText);
}

function rank(key: string, pod: PodFacts, services: readonly ServiceFacts[], cluster: ClusterFacts): number {
  const watched = policiesThatMiss(pod, [key], cluster).length > 0 ? 1_000_000 : 0;
  const ownersOwn = pod.ownerSelector !== undefined && key in pod.ownerSelector ? 1000 : 0;
  return watched + ownersOwn - services.filter((service) => key in service.selector).length;
}

/**
 * True when the pod must leave its endpoints before it is told to stop: every kube-proxy in the cluster keeps sending to it until
 * the change has spread, and its own preStop is shorter than that. Only ReplicaSet pods, whose replacement has another name.
 */
export function needsRemoval(pod: PodFacts, cluster: ClusterFacts, policy: Policy): boolean {
  return (
    isEnabled(policy, 'remove-endpoints-before-eviction') &&
    leavesTooSoon(pod, policy) &&
    whyEndpointsKept(pod, cluster, policy) === undefined &&
    listingServices(pod, cluster).length > 0
  );
}

/** A pod that is told to stop while callers are still sent to it. */
export interface EvictedWhileEndpoint {
  /** Keys of the Services whose callers are sent to it. */
  readonly services: readonly string[];
  /** Why it can't be taken out of them first. */
  readonly why: string;
}

/**
 * Whether the pod is evicted while its Services list it, and does not serve on until every kube-proxy has heard that it leaves. What
 * still comes then is refused. A rule that is switched off is told by itself.
 */
export function findLeavesListed(
  pod: PodFacts,
  cluster: ClusterFacts,
  policy: Policy,
): EvictedWhileEndpoint | undefined {
  const why = whyEndpointsKept(pod, cluster, policy);
  if (why === undefined || pod.endpointsRemoved !== undefined || pod.terminating || !leavesTooSoon(pod, policy))
    return undefined;
  const services = listingServices(pod, cluster).map(({ key }) => key);
  return services.length === 0 ? undefined : { services, why };
}

function leavesTooSoon(pod: PodFacts, policy: Policy): boolean {
  return pod.preStopSeconds * 1000 < policy.waits.endpointPropagationMs;
}

function listingServices(pod: PodFacts, cluster: ClusterFacts): readonly ServiceFacts[] {
  return servicesOf(pod, cluster).filter((service) => isReadyEndpoint(pod, service));
}

/**
 * Only a ReplicaSet starts a replacement of another name as soon as a pod no longer matches it, or has done so. And a pod that network
 * policies no longer know loses what it is in the middle of.
 */
function whyEndpointsKept(pod: PodFacts, cluster: ClusterFacts, policy: Policy): string | undefined {
  if (policy.drain.keepEndpoints.some((workload) => isOfWorkload(pod, workload)))
    return 'spec.drain.keepEndpoints names it';
  if (pod.ownerKind === 'StatefulSet') return 'a StatefulSet starts no replacement beside it';
  if (pod.ownerKind !== 'ReplicaSet' && pod.released === undefined) return 'no ReplicaSet owns it';
  return explainMissed(pod, cluster);
}

/** Which network policies would no longer know the pod if it was unlisted, in words. */
export function explainMissed(pod: PodFacts, cluster: ClusterFacts): string | undefined {
  if (cluster.networkPolicies === undefined || cluster.networkPolicies.length === 0) return undefined;
  const labels = selectLabels(pod, cluster);
  const policies = policiesThatMiss(pod, labels, cluster);
  if (policies.length === 0) return undefined;
  return `${listNames(policies)} goes by its label ${listNames(labels)}, which it would lose`;
}

/** True when `namespace/name` names the pod's ReplicaSet or the Deployment above it. */
export function isOfWorkload(pod: PodFacts, workload: string): boolean {
  const owner = `${pod.namespace}/${pod.released?.replicaSet.name ?? pod.ownerName}`;
  return owner === workload || owner.startsWith(`${workload}-`);
}

/**
 * Since when the unlisted pods of a look have been out of their endpoints: those that are seen out for the first time as of `now`.
 * A pod that is gone, or still listed because the endpoint slice controller lags or is down, has no time.
 */
export function trackRemoved(
  known: RemovedSince,
  pods: readonly PodFacts[],
  cluster: ClusterFacts,
  now: number,
): RemovedSince {
  const out = pods.filter((pod) => pod.endpointsRemoved !== undefined && findStaleEndpoint(pod, cluster) === undefined);
  return keepTimes(known, out, now);
}

/** Since when the unlisted pods of a look have been seen listed all the same: those that are seen so for the first time as of `now`. */
export function trackLagging(
  known: LaggingSince,
  pods: readonly PodFacts[],
  cluster: ClusterFacts,
  now: number,
): LaggingSince {
  const late = pods.filter(
    (pod) => pod.endpointsRemoved !== undefined && findStaleEndpoint(pod, cluster) !== undefined,
  );
  return keepTimes(known, late, now);
}

/** A Service whose endpoints still have the pod, which was unlisted. */
export function findStaleEndpoint(
  pod: Pick<PodFacts, 'uid' | 'namespace'>,
  cluster: ClusterFacts,
): ServiceFacts | undefined {
  // Slices that somebody writes by hand, for a Service without a selector, don't follow labels.
  return indexOf(cluster)
    .servicesIn(pod.namespace)
    .find((service) => Object.keys(service.selector).length > 0 && isEndpoint(pod, service));
}

/** What holds an unlisted pod besides the time to spread: that its endpoints still have it, or that not everybody listens. */
export function blockedByEndpoint(
  pod: PodRef,
  cluster: ClusterFacts,
  waits: WaitPolicy,
  now: number,
): BlockedPod | undefined {
  const listedBy = findStaleEndpoint(pod, cluster);
  const reason =
    listedBy === undefined
      ? explainUnpropagated(cluster, waits, now)
      : `it was removed from endpoints but is still an endpoint of ${listedBy.key}`;
  return reason === undefined ? undefined : blockedPod(pod, reason);
}

/** True when the unlisted pod is out of its endpoints and every kube-proxy has had the time to hear of it. */
export function hasPropagated(
  pod: PodRef,
  cluster: ClusterFacts,
  removedAt: RemovedSince,
  waits: WaitPolicy,
  now: number,
): boolean {
  const since = removedAt[pod.uid];
  if (since === undefined || now < since + endpointRemovalMs(waits)) return false;
  return blockedByEndpoint(pod, cluster, waits, now) === undefined;
}
