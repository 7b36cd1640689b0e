import { indexOf } from '../model/cluster-index.ts';
import { isEndpoint, isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts, PodRef } from '../model/pod.ts';
import { podGroupsOf } from '../model/pod-targets.ts';
import { preStopOf } from '../model/pre-stop.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy, WaitPolicy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { compareText, listNames } from '../text/format.ts';
import { endpointRemovalMs, podDetachMs } from '../waits/formulas.ts';
import { type BlockedPod, blockedPod, keepTimes, type RemovedSince, type StaleSince } from './actions.ts';
import { policiesThatMiss } from './network-policies.ts';
import { explainUnpropagated } from './outage.ts';
import { isPodTarget } from './target-removal.ts';

/**
 * Labels whose removal takes the pod out of all its Services' endpoints: the fewest possible. Where there is a choice, labels that neither a
 * network policy nor its ReplicaSet selects, so that its traffic rules and its owner stay as they are. Empty when no Service selects the pod.
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
  // A label chosen late may make one chosen early unnecessary.
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
 * True when the pod must be removed from its endpoints before it is told to stop: every kube-proxy in the cluster keeps sending to it
 * until the change has propagated, and its own preStop is shorter than that, or load balancers send to the pod itself. Only ReplicaSet pods, whose replacement has another name.
 */
export function needsRemoval(pod: PodFacts, cluster: ClusterFacts, policy: Policy): boolean {
  return (
    isEnabled(policy, 'remove-endpoints-before-eviction') &&
    (leavesTooSoon(pod, policy) || isPodTarget(pod, cluster)) &&
    whyEndpointsKept(pod, cluster, policy) === undefined &&
    listingServices(pod, cluster).length > 0
  );
}

/** A pod that is told to stop while load balancers send to it, and stops too early. */
interface EvictedWhileTarget {
  /** Names of the target groups. */
  readonly groups: readonly string[];
  /** Keys of their Services. */
  readonly services: readonly string[];
  /** The policy accepts that these lose connections. */
  readonly isAccepted: boolean;
  /** Why it can't be removed from endpoints first. */
  readonly why: string;
  /** Only because admission denies it. */
  readonly isDenied: boolean;
  /** For how long it would have to serve after it was told to stop, and then to have until it is killed, ms. */
  readonly preStopMs: number;
  readonly graceMs: number;
}

/**
 * Whether the pod is evicted while it is a target, and does not serve until no load balancer sends to it any more. Its controller deregisters it only
 * once it was told to stop.
 */
export function findEvictedWhileTarget(
  pod: PodFacts,
  cluster: ClusterFacts,
  policy: Policy,
): EvictedWhileTarget | undefined {
  const groups = podGroupsOf(pod, cluster);
  if (groups.length === 0 || pod.endpointsRemoved !== undefined || pod.terminating || !pod.ready) return undefined;
  const why = whyEndpointsKept(pod, cluster, policy);
  const preStopMs = Math.max(...groups.map((group) => podDetachMs(group, policy.waits)));
  const graceMs = preStopMs + policy.waits.marginMs;
  const isPatient = preStopOf(pod) * 1000 >= preStopMs && pod.terminationGracePeriodSeconds * 1000 >= graceMs;
  if (why === undefined || isPatient) return undefined;
  const services = groups.map(({ service }) => service);
  const isAccepted = services.every((service) => policy.guard.acceptUnprotected.includes(service));
  return {
    groups: groups.map(({ name }) => name),
    services,
    isAccepted,
    why,
    isDenied: isDenied(pod, cluster),
    preStopMs,
    graceMs,
  };
}

/** A pod that is told to stop while callers are still sent to it. */
interface EvictedWhileEndpoint {
  /** Keys of the Services that still list it. */
  readonly services: readonly string[];
  /** Why it can't be removed from endpoints first. */
  readonly why: string;
  /** Only because admission denies it. */
  readonly isDenied: boolean;
}

/**
 * Whether the pod is evicted while its Services list it, and does not serve until every kube-proxy has the update. Connections that arrive
 * after it stops are refused. A disabled rule is reported separately.
 */
export function findEvictedWhileEndpoint(
  pod: PodFacts,
  cluster: ClusterFacts,
  policy: Policy,
): EvictedWhileEndpoint | undefined {
  const why = whyEndpointsKept(pod, cluster, policy);
  if (why === undefined || pod.endpointsRemoved !== undefined || pod.terminating || !leavesTooSoon(pod, policy))
    return undefined;
  const services = listingServices(pod, cluster).map(({ key }) => key);
  return services.length === 0 ? undefined : { services, why, isDenied: isDenied(pod, cluster) };
}

/** Trials are made of pods that would be removed otherwise. */
function isDenied(pod: PodFacts, { deniedRemovals }: ClusterFacts): boolean {
  return deniedRemovals?.[pod.uid] !== undefined;
}

/** The pod would be removed from its endpoints first if admission did not deny it. */
export function isRemovalDenied(pod: PodFacts, cluster: ClusterFacts): boolean {
  return isDenied(pod, cluster) && listingServices(pod, cluster).length > 0;
}

function leavesTooSoon(pod: PodFacts, policy: Policy): boolean {
  return pod.preStopSeconds * 1000 < policy.waits.endpointPropagationMs;
}

function listingServices(pod: PodFacts, cluster: ClusterFacts): readonly ServiceFacts[] {
  return servicesOf(pod, cluster).filter((service) => isReadyEndpoint(pod, service));
}

/**
 * Only a ReplicaSet starts a replacement with another name as soon as a pod no longer matches it, or has done so already. And a pod that
 * network policies no longer select loses the connections that it is serving.
 */
function whyEndpointsKept(pod: PodFacts, cluster: ClusterFacts, policy: Policy): string | undefined {
  if (policy.drain.keepEndpoints.some((workload) => isOfWorkload(pod, workload, cluster)))
    return 'spec.drain.keepEndpoints names it';
  const denied = cluster.deniedRemovals?.[pod.uid];
  if (denied !== undefined) return denied;
  if (pod.ownerKind === 'StatefulSet') return 'a StatefulSet starts no replacement beside it';
  if (pod.ownerKind !== 'ReplicaSet' && pod.released === undefined) return 'no ReplicaSet owns it';
  // A pod that no Service selects gets the gate of GKE at once, and would be Ready without being a healthy target (ingress-gce, pkg/neg/readiness/reflector.go).
  if (pod.closedGate !== undefined) return `its readiness gate ${pod.closedGate} is not True`;
  return explainMissed(pod, cluster);
}

/** Which network policies would no longer select the pod if it was removed from endpoints, as text. */
export function explainMissed(pod: PodFacts, cluster: ClusterFacts): string | undefined {
  if (cluster.networkPolicies === undefined || cluster.networkPolicies.length === 0) return undefined;
  const labels = selectLabels(pod, cluster);
  const policies = policiesThatMiss(pod, labels, cluster);
  if (policies.length === 0) return undefined;
  return `${listNames(policies)} goes by its label ${listNames(labels)}, which it would lose`;
}

/** True when `namespace/name` names what controls the pod: its ReplicaSet, the Deployment above it, or another controller that keeps it, such as a Rollout. */
export function isOfWorkload(pod: PodFacts, workload: string, cluster: ClusterFacts): boolean {
  if (`${pod.namespace}/${pod.released?.replicaSet.name ?? pod.ownerName}` === workload) return true;
  const key = pod.released?.workload ?? pod.workload;
  if (key === undefined) return false;
  const keptBy = indexOf(cluster).workload(key)?.keptBy;
  return [key, keptBy].some((known) => known?.endsWith(` ${workload}`));
}

/**
 * Since when the pods that were removed from endpoints have been out of them: as of `now` where that is observed for the first time. A pod
 * that is gone, or still listed because the endpoint slice controller lags or is down, has no time.
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

/** Since when pods that were removed from endpoints have been observed in them all the same: as of `now` where that is first observed. */
export function trackStale(
  known: StaleSince,
  pods: readonly PodFacts[],
  cluster: ClusterFacts,
  now: number,
): StaleSince {
  const late = pods.filter(
    (pod) => pod.endpointsRemoved !== undefined && findStaleEndpoint(pod, cluster) !== undefined,
  );
  return keepTimes(known, late, now);
}

/** A Service whose endpoints still have the pod that was removed from them. */
export function findStaleEndpoint(
  pod: Pick<PodFacts, 'uid' | 'namespace'>,
  cluster: ClusterFacts,
): ServiceFacts | undefined {
  // Slices that somebody writes by hand, for a Service without a selector, don't follow labels.
  return indexOf(cluster)
    .servicesIn(pod.namespace)
    .find((service) => Object.keys(service.selector).length > 0 && isEndpoint(pod, service));
}

/** What else than propagation time blocks a removed pod: its endpoints still have it, or a kube-proxy may have missed the update. */
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

/** True when the removed pod is out of its endpoints and every kube-proxy has had the time to receive the update. */
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
