import { indexOf } from '../model/cluster-index.ts';
import { isEndpoint, isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import { disruptedTaint } from '../model/labels.ts';
import type { NodeRef } from '../model/node.ts';
import { type PodFacts, podRefOf, type TolerationFacts } from '../model/pod.ts';
import type { EndpointFacts, ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { compareText, listNames } from '../text/format.ts';
import { type PodAction, type RemovedSince, type UnreadySince } from './actions.ts';
import { explainMissed, findStaleEndpoint, hasPropagated, selectLabels } from './endpoint-removal.ts';
import { explainUnpropagated } from './outage.ts';
import { decideRemoveAgain } from './readded-labels.ts';
import { isStuckTerminating } from './stuck-terminating.ts';
import { blockedByTarget, type DrainedAt, isPodTarget } from './target-removal.ts';
import { mayBeReady } from './unready.ts';

/** Everything that decides how the endpoints that eviction left on a node are removed. */
export interface EndpointRemovalQuestion {
  readonly node: NodeRef;
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  readonly run: string;
  /** Epoch ms. */
  readonly now: number;
  readonly removedAt: RemovedSince;
  readonly unreadySince: UnreadySince;
  readonly drainedAt: DrainedAt;
}

/** What to do now about leftover endpoints. */
export interface EndpointRemoval {
  /** The node must be tainted first; nothing else is to be done in this round. */
  readonly taint: boolean;
  readonly actions: readonly PodAction[];
  /** Leftover pods that must still leave. */
  readonly remaining: number;
  /** Endpoints that can't be removed: their pods tolerate every taint or are run by the kubelet, or somebody wrote them by hand. */
  readonly unprotected: readonly string[];
  readonly reason: string;
}

/**
 * Removes the endpoints of DaemonSet pods before their instance ends; otherwise they stay endpoints until the node is found NotReady.
 * Taint the node (no new pod comes), remove the pod from its endpoints, wait until that has propagated, delete it. Only pods for which `isAsked` is true.
 */
export function decideEndpointRemoval(
  question: EndpointRemovalQuestion,
  isAsked: (pod: PodFacts) => boolean = () => true,
): EndpointRemoval {
  const { facts, policy, node } = question;
  const nothing = { taint: false, actions: [], remaining: 0, unprotected: [] };
  if (!isEnabled(policy, 'remove-daemonset-endpoints')) return { ...nothing, reason: 'this rule is disabled' };
  const leftovers = indexOf(facts)
    .podsOn(node.name)
    .filter((pod) => isLeftover(pod, question))
    .toSorted((a, b) => compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`));
  const { stale, byHand } = findEndpointsWithoutPod(node, facts);
  const unprotected = [
    ...leftovers.filter((pod) => staysAnyway(pod) && serves(pod, facts)).map((pod) => `${pod.namespace}/${pod.name}`),
    ...byHand.map((key) => `an endpoint of ${key} that was written by hand`),
  ];
  const leaving = leftovers.filter((pod) => !staysAnyway(pod) && isAsked(pod));
  if (leaving.length === 0 && stale.length > 0) {
    const reason = `${listNames(stale)} still list endpoints on ${node.name} whose pods are gone`;
    return { ...nothing, remaining: stale.length, unprotected, reason };
  }
  if (leaving.length === 0) {
    const reason =
      unprotected.length === 0
        ? `no endpoint is left on ${node.name}`
        : `only ${listNames(unprotected)} can't be removed`;
    return { ...nothing, unprotected, reason };
  }
  const names = listNames(leaving.map((pod) => `${pod.namespace}/${pod.name}`));
  if (indexOf(facts).nodes.get(node.name)?.ownership.disruptedBy === undefined) {
    return {
      ...nothing,
      taint: true,
      remaining: leaving.length,
      unprotected,
      reason: `${names} must leave ${node.name}`,
    };
  }
  const actions = leaving.flatMap((pod) => decideStep(pod, question));
  const late = leaving.find((pod) => pod.endpointsRemoved !== undefined && findStaleEndpoint(pod, facts) !== undefined);
  const lag =
    late === undefined ? '' : `; ${late.namespace}/${late.name} was removed from endpoints but is still an endpoint`;
  const [waiting] = [
    explainUnpropagated(facts, policy.waits, question.now),
    ...leaving.map((pod) => (pod.endpointsRemoved === undefined ? undefined : blockedByTarget(pod, question)?.reason)),
  ].filter((why) => why !== undefined);
  const reason = `${names} leaving ${node.name}${lag}${waiting === undefined ? '' : `; ${waiting}`}`;
  return { taint: false, actions, remaining: leaving.length, unprotected, reason };
}

/**
 * The part that can be done while the last pods of the node use their grace period: it stops nothing that those pods need, and endpoints
 * that callers on the node are sent to before all others (`internalTrafficPolicy: Local`) stay.
 */
export function decideEarlyRemoval(question: EndpointRemovalQuestion): Pick<EndpointRemoval, 'taint' | 'actions'> {
  const servesAnyNode = (pod: PodFacts) =>
    servicesOf(pod, question.facts).every(({ internalTrafficPolicy }) => internalTrafficPolicy === 'Cluster');
  const { taint, actions } = decideEndpointRemoval(question, servesAnyNode);
  return { taint, actions: actions.filter(({ kind }) => kind === 'remove-endpoints') };
}

/**
 * DaemonSet pods of the node, by name, that callers are sent to although its endpoints were removed: they were not ready then, because
 * the kubelet had not reconnected after an outage of the API server, or somebody removed the taint.
 */
export function findServingAgain(node: NodeRef, facts: ClusterFacts, policy: Policy): readonly string[] {
  if (!isEnabled(policy, 'remove-daemonset-endpoints')) return [];
  return indexOf(facts)
    .podsOn(node.name)
    .filter((pod) => pod.ownerKind === 'DaemonSet' && !pod.terminating && !staysAnyway(pod) && serves(pod, facts))
    .map((pod) => `${pod.namespace}/${pod.name}`)
    .toSorted(compareText);
}

/** True when its DaemonSet would start the pod again in spite of the disrupted taint. */
export function toleratesDisruption(tolerations: readonly TolerationFacts[]): boolean {
  return tolerations.some(
    ({ key, operator, effect }) =>
      (key === undefined || key === '' ? operator === 'Exists' : key === disruptedTaint) &&
      (effect === undefined || effect === 'NoSchedule'),
  );
}

/** A pod that is out of its endpoints and stuck terminating serves nobody: it ends with the instance. */
function isLeftover(pod: PodFacts, question: EndpointRemovalQuestion): boolean {
  const { facts, now } = question;
  if (pod.endpointsRemoved !== undefined && !isStuckTerminating(pod, now)) return true;
  if (pod.ownerKind !== 'DaemonSet' && pod.ownerKind !== 'Node' && !pod.mirror) return false;
  return serves(pod, facts) || mayBeReady(pod, facts, question);
}

/**
 * Services that list ready endpoints on the node without a pod there. For a Service with a selector Kubernetes removes them as soon as it
 * has caught up; for one without, somebody manages them, and nothing removes them (Kubernetes docs, "Services without selectors").
 */
function findEndpointsWithoutPod(node: NodeRef, facts: ClusterFacts) {
  const pods = new Set(
    indexOf(facts)
      .podsOn(node.name)
      .map(({ uid }) => uid),
  );
  const isLeft = ({ node: on, ready, serving, podUid }: EndpointFacts) =>
    on === node.name && (ready || serving) && (podUid === undefined || !pods.has(podUid));
  const listing = facts.services.filter(({ endpoints }) => endpoints.some(isLeft));
  const isStale = ({ selector, endpoints }: ServiceFacts) =>
    Object.keys(selector).length > 0 && endpoints.some((one) => isLeft(one) && one.podUid !== undefined);
  const keys = (services: readonly ServiceFacts[]) => services.map(({ key }) => key).toSorted(compareText);
  return { stale: keys(listing.filter(isStale)), byHand: keys(listing.filter((service) => !isStale(service))) };
}

function serves(pod: PodFacts, facts: ClusterFacts): boolean {
  return indexOf(facts)
    .servicesIn(pod.namespace)
    .some((service) => isEndpoint(pod, service));
}

function staysAnyway(pod: PodFacts): boolean {
  if (pod.endpointsRemoved !== undefined || pod.terminating) return false;
  return pod.mirror || pod.ownerKind === 'Node' || toleratesDisruption(pod.tolerations);
}

function decideStep(pod: PodFacts, question: EndpointRemovalQuestion): readonly PodAction[] {
  const { facts, policy, now, removedAt } = question;
  if (pod.terminating || mayBeReady(pod, facts, question)) return [];
  const again = decideRemoveAgain(pod, facts);
  if (again !== undefined) return [again.action];
  if (pod.endpointsRemoved !== undefined) {
    const spread = hasPropagated(pod, facts, removedAt, policy.waits, now);
    return spread && blockedByTarget(pod, question) === undefined ? [{ kind: 'delete', pod: podRefOf(pod) }] : [];
  }
  const removeLabels = selectLabels(pod, facts);
  const outlivesPropagation =
    pod.preStopSeconds * 1000 >= policy.waits.endpointPropagationMs && !isPodTarget(pod, facts);
  const listed = servicesOf(pod, facts).some((service) => isReadyEndpoint(pod, service));
  if (listed && outlivesPropagation && explainUnpropagated(facts, policy.waits, now) !== undefined) return [];
  const mayLose = removeLabels.length > 0 && explainMissed(pod, facts) === undefined;
  return listed && mayLose && !outlivesPropagation
    ? [{ kind: 'remove-endpoints', pod: podRefOf(pod), removeLabels }]
    : [{ kind: 'delete', pod: podRefOf(pod) }];
}
