import { indexOf } from '../model/cluster-index.ts';
import { podsWith } from '../model/endpoints.ts';
import { matches } from '../model/label-index.ts';
import { isActive, type PodFacts, type ReleasedFacts, type ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { NodeUids } from '../policy/members.ts';

/** A released pod, with what it was released from. */
export type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Pods that a ReplicaSet counts as its own. Terminating and finished pods do not count (pkg/controller/controller_utils.go, FilterActivePods).
 * The controller may react late: a pod that its selector no longer matches does not count even if it still has the owner reference, and a
 * pod without owner that it matches counts, because the ReplicaSet will adopt it (kubernetes/kubernetes,
 * pkg/controller/controller_ref_manager.go, ClaimPods).
 */
export function ownedPods(
  { label, value, replicaSet }: Pick<ReleasedFrom, 'label' | 'value' | 'replicaSet'>,
  namespace: string,
  cluster: ClusterFacts,
): readonly PodFacts[] {
  const ofVersion = podsWith({ [label]: value }, namespace, cluster);
  const named = ofVersion.filter(({ ownerName }) => ownerName === replicaSet.name);
  const selector = named.find(({ ownerSelector }) => ownerSelector !== undefined)?.ownerSelector;
  return [...named, ...ofVersion.filter(awaitsAdoption)].filter(
    (pod) => isActive(pod) && (selector === undefined || matches(selector, pod.labels)),
  );
}

/** Whether the run has released it and it still is released. A pod that has its label again belongs to its ReplicaSet, whatever its annotation says. */
export function isReleasedBy(pod: PodFacts, run: string): pod is ReleasedPod {
  return pod.released?.by === run && pod.labels[pod.released.label] === undefined;
}

/** Whether the run has released it, and somebody else has restored its label. */
export function isReturned(pod: PodFacts, run: string): boolean {
  return pod.released?.by === run && pod.labels[pod.released.label] !== undefined;
}

/** Whether its Deployment and its ReplicaSet are both gone. The Deployment alone may be gone for a moment: `kubectl delete --cascade=orphan`. */
export function isAbandoned({ released }: ReleasedPod, cluster: ClusterFacts): boolean {
  return released.wants === undefined && indexOf(cluster).workload(released.workload) === undefined;
}

/** Whether it has no owner and its original labels. A ReplicaSet whose selector matches them will adopt it. */
export function awaitsAdoption({ ownerKind, endpointsRemoved, released }: PodFacts): boolean {
  return ownerKind === 'none' && endpointsRemoved === undefined && released === undefined;
}

/** Whether it runs on one of the leaving nodes. Nodes that stay are not cordoned. */
export function isOutgoing({ node = '' }: PodFacts, leaving: NodeUids, cluster: ClusterFacts): boolean {
  const host = indexOf(cluster).nodes.get(node);
  return host !== undefined && leaving.has(host.uid) && host.cordoned;
}

/** Whether it is ready and has not been removed from its endpoints. */
export function isServing({ ready, endpointsRemoved }: PodFacts): boolean {
  return ready && endpointsRemoved === undefined;
}
