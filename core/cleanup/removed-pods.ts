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
  /** Those of which Services (by key) could not be asked, and why. Undefined where all were, or where no Service of the pods has any. */
  readonly unread: { readonly why: string; readonly services: ReadonlySet<string> } | undefined;
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
  const { unread, isAccepted } = asked;
  const services = isAccepted ? [] : balancedServicesOf(pod, cluster).filter(({ key }) => unread?.services.has(key));
  if (services.length === 0) return undefined;
  const names = listNames(services.map(({ key }) => key));
  return { ...about, passes: false, reason: `the load balancers of ${names} may send to it, and could not be asked` };
}

/** An action on a pod that a run has removed from endpoints. */
interface RemovedPodAction {
  readonly kind: 'restore-endpoints' | 'evict';
  readonly pod: PodRef;
  readonly run: string;
}

/** What happens to the pods that runs have removed from endpoints: they get their labels back, are evicted, or wait. */
export function decideRemovedPods(
  runs: readonly string[],
  cluster: ClusterFacts,
  asked: TargetsAsked,
): { readonly actions: readonly RemovedPodAction[]; readonly waits: readonly WaitingPod[] } {
  const index = indexOf(cluster);
  const decided = runs.flatMap((run) =>
    cluster.nodes.flatMap((node) =>
      decideRestore(node, index.podsOn(node.name), run).map(({ kind, pod }) => ({ kind, pod, run })),
    ),
  );
  const evicted = decided
    .filter(({ kind }) => kind === 'evict')
    .flatMap(({ pod }) => index.podsByUid.get(pod.uid) ?? []);
  const back = new Set(findUnreplaced(evicted, cluster).map(({ uid }) => uid));
  const waits = evicted.flatMap((pod) => (back.has(pod.uid) ? [] : (findWait(pod, cluster, asked) ?? [])));
  const waiting = new Set(waits.map(({ pod }) => pod.uid));
  return {
    actions: decided.flatMap(({ kind, pod, run }) => {
      if (waiting.has(pod.uid)) return [];
      return [{ kind: kind === 'evict' && !back.has(pod.uid) ? 'evict' : 'restore-endpoints', pod, run } as const];
    }),
    waits,
  };
}

/**
 * Ready pods whose replacements are not ready: as many as those. With its labels a pod returns to its ReplicaSet, which has one too many then and deletes a
 * pod that is not ready before one that is (kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks). Pods that it has too many of already
 * are being deleted in this way, and no pod returns for them.
 */
function findUnreplaced(pods: readonly PodFacts[], cluster: ClusterFacts): readonly PodFacts[] {
  const ofVersion = Map.groupBy(cluster.pods.filter(isKept), versionOf);
  const ready = Map.groupBy(
    pods.filter((pod) => pod.ready && versionOf(pod) !== undefined),
    versionOf,
  );
  return [...ready].flatMap(([version, own]) => own.slice(0, countMissing(ofVersion.get(version) ?? [], cluster)));
}

/** How many pods of one version are not ready, without those that their ReplicaSet has too many of. */
function countMissing(ofVersion: readonly PodFacts[], cluster: ClusterFacts): number {
  const late = ofVersion.filter(({ ownerKind, ready }) => ownerKind === 'ReplicaSet' && !ready);
  // A pod that has just returned is not owned yet, but counts for its ReplicaSet.
  const returned = ofVersion.filter(({ ownerKind }) => ownerKind === 'none');
  const index = indexOf(cluster);
  const workload = late[0]?.workload ?? '';
  const owned = index.podsOfWorkload(workload).filter((pod) => isKept(pod) && pod.ownerKind === 'ReplicaSet');
  const wanted = index.workload(workload)?.replicas ?? owned.length;
  return Math.max(0, late.length - Math.max(0, owned.length + returned.length - wanted));
}

function isKept({ terminating, endpointsRemoved, released }: PodFacts): boolean {
  return !terminating && endpointsRemoved === undefined && released === undefined;
}

function versionOf(pod: PodFacts): string | undefined {
  const hash = labelsBefore(pod)[templateLabel];
  return hash === undefined ? undefined : `${pod.namespace}/${hash}`;
}

function labelsBefore({ labels, endpointsRemoved }: PodFacts): Readonly<Record<string, string>> {
  return { ...labels, ...endpointsRemoved?.originalLabels };
}
