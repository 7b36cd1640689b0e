/** Pods that an ended run has removed from their endpoints, or released from workloads that are gone: they leave in an order that loses no connection. */
import { findStaleEndpoint } from '../eviction/endpoint-removal.ts';
import { decideRestore } from '../eviction/restore-pods.ts';
import { indexOf } from '../model/cluster-index.ts';
import { servicesOf } from '../model/endpoints.ts';
import { type PodFacts, type PodRef, podRefOf, templateLabel } from '../model/pod.ts';
import { podGroupsOf } from '../model/pod-targets.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { targetsOfPod } from '../model/targets-of.ts';
import { listNames } from '../text/format.ts';

/** What became of asking the load balancers of the pods. */
export interface TargetsAsked {
  /** Why they could not be asked. Undefined where they were, or where no Service of the pods has any. */
  readonly unread: string | undefined;
  /** The operator accepts that a pod leaves while a load balancer may send to it. */
  readonly isAccepted: boolean;
}

/** A pod that may not leave yet. */
export interface WaitingPod {
  readonly pod: PodRef;
  readonly reason: string;
  /** It ends by itself. Otherwise somebody has to do something. */
  readonly passes: boolean;
}

/** The Services whose load balancers may send to the pod itself, or sent to it before a run removed it from endpoints. */
export function balancedServicesOf(pod: PodFacts, cluster: ClusterFacts): readonly ServiceFacts[] {
  const { namespace } = pod;
  return servicesOf({ namespace, labels: labelsBefore(pod) }, cluster).filter(
    ({ type, podGroups }) => type === 'LoadBalancer' || podGroups !== undefined,
  );
}

/**
 * Why the pod may not leave yet: an EndpointSlice lists it, or a target group still has it, draining ones too, because how long they drain already is
 * not known. A load balancer that could not be asked counts as one that sends to it, unless the operator accepts that.
 */
export function findWait(pod: PodFacts, cluster: ClusterFacts, asked: TargetsAsked): WaitingPod | undefined {
  const about = { pod: podRefOf(pod), passes: true };
  const service = pod.endpointsRemoved === undefined ? undefined : findStaleEndpoint(pod, cluster);
  if (service !== undefined) return { ...about, reason: `it is still an endpoint of ${service.key}` };
  const sending = podGroupsOf(pod, cluster).flatMap((group) => {
    const states = targetsOfPod(pod, group).flatMap(({ state }) => (state === 'unused' ? [] : state));
    return states.length === 0 ? [] : [`${group.name} (${states.join(', ')})`];
  });
  if (sending.length > 0) return { ...about, reason: `it is still a target of ${listNames(sending)}` };
  const services = asked.unread === undefined || asked.isAccepted ? [] : balancedServicesOf(pod, cluster);
  if (services.length === 0) return undefined;
  const names = listNames(services.map(({ key }) => key));
  return { ...about, passes: false, reason: `the load balancers of ${names} may send to it, and could not be asked` };
}

/** What happens to the pods that a run has removed from endpoints: they get their labels back, are evicted, or wait. */
export function decideRemovedPods(
  run: string,
  cluster: ClusterFacts,
  asked: TargetsAsked,
): {
  readonly actions: readonly { readonly kind: 'restore-endpoints' | 'evict'; readonly pod: PodRef }[];
  readonly waits: readonly WaitingPod[];
} {
  const index = indexOf(cluster);
  const decided = cluster.nodes.flatMap((node) => decideRestore(node, index.podsOn(node.name), run));
  const evicted = decided
    .filter(({ kind }) => kind === 'evict')
    .flatMap(({ pod }) => index.podsByUid.get(pod.uid) ?? []);
  const back = new Set(findUnreplaced(evicted, cluster).map(({ uid }) => uid));
  const waits = evicted.flatMap((pod) => (back.has(pod.uid) ? [] : (findWait(pod, cluster, asked) ?? [])));
  const waiting = new Set(waits.map(({ pod }) => pod.uid));
  return {
    actions: decided.flatMap(({ kind, pod }) => {
      if (waiting.has(pod.uid)) return [];
      return [{ kind: kind === 'evict' && !back.has(pod.uid) ? 'evict' : 'restore-endpoints', pod } as const];
    }),
    waits,
  };
}

/**
 * Ready pods whose replacements are not ready: as many as those. With its labels a pod returns to its ReplicaSet, which has one too many then and deletes a
 * pod that is not ready before one that is (kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks).
 */
function findUnreplaced(pods: readonly PodFacts[], cluster: ClusterFacts): readonly PodFacts[] {
  const versionOf = (pod: PodFacts) => {
    const hash = labelsBefore(pod)[templateLabel];
    return hash === undefined ? undefined : `${pod.namespace}/${hash}`;
  };
  const late = cluster.pods.filter(
    ({ ownerKind, ready, terminating, endpointsRemoved }) =>
      ownerKind === 'ReplicaSet' && !ready && !terminating && endpointsRemoved === undefined,
  );
  const missing = Map.groupBy(late, versionOf);
  const ready = Map.groupBy(
    pods.filter((pod) => pod.ready && versionOf(pod) !== undefined),
    versionOf,
  );
  return [...ready].flatMap(([version, own]) => own.slice(0, missing.get(version)?.length ?? 0));
}

function labelsBefore({ labels, endpointsRemoved }: PodFacts): Readonly<Record<string, string>> {
  return { ...labels, ...endpointsRemoved?.originalLabels };
}
