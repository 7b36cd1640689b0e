import { indexOf } from '../model/cluster-index.ts';
import { podsWith } from '../model/endpoints.ts';
import { matches } from '../model/label-index.ts';
import { isFinished, type PodFacts, type ReleasedFacts, type ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/** A pod that was released, with what it was released from. */
export type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Pods that a ReplicaSet counts as its own: none that was told to stop, has failed or has run to its end (pkg/controller/controller_utils.go,
 * FilterActivePods). Its controller may be late: a pod that its selector does not match
 * any more is no longer one of them whatever owner it names, and one without an owner that it does match will be
 * (kubernetes/kubernetes, pkg/controller/controller_ref_manager.go, ClaimPods).
 */
export function ownedPods(
  { label, value, replicaSet }: Pick<ReleasedFrom, 'label' | 'value' | 'replicaSet'>,
  namespace: string,
  cluster: ClusterFacts,
): readonly PodFacts[] {
  const ofVersion = podsWith({ [label]: value }, namespace, cluster);
  const named = ofVersion.filter(({ ownerName }) => ownerName === replicaSet.name);
  const selector = named.find(({ ownerSelector }) => ownerSelector !== undefined)?.ownerSelector;
  return [...named, ...ofVersion.filter(waitsToBeTaken)].filter(
    (pod) => isActive(pod) && (selector === undefined || matches(selector, pod.labels)),
  );
}

/** It counts for its controller: it runs, or will. */
export function isActive(pod: PodFacts): boolean {
  return !pod.terminating && !isFinished(pod);
}

/** The run has released it, and it still is: one that somebody has given its label back is its ReplicaSet's again, whatever our mark says. */
export function isReleasedBy(pod: PodFacts, run: string): pod is ReleasedPod {
  return pod.released?.by === run && pod.labels[pod.released.label] === undefined;
}

/** The run has released it, and somebody else has given it its label back. */
export function isReturned(pod: PodFacts, run: string): boolean {
  return pod.released?.by === run && pod.labels[pod.released.label] !== undefined;
}

/** Neither its Deployment nor its ReplicaSet is there. A Deployment alone may be away for a moment: `kubectl delete --cascade=orphan`. */
export function isAbandoned({ released }: ReleasedPod, cluster: ClusterFacts): boolean {
  return released.wants === undefined && indexOf(cluster).workload(released.workload) === undefined;
}

/** No controller owns it, and its labels are as whoever made it wants them: a ReplicaSet that they match takes it when it looks. */
export function waitsToBeTaken({ ownerKind, endpointsRemoved, released }: PodFacts): boolean {
  return ownerKind === 'none' && endpointsRemoved === undefined && released === undefined;
}

/** It runs on a node of that pool which goes: those that stay are not cordoned. */
export function isOutgoing({ node = '' }: PodFacts, pool: string, cluster: ClusterFacts): boolean {
  const host = indexOf(cluster).nodes.get(node);
  return host?.pool === pool && host.cordoned;
}

/** It is ready, and nobody has taken it out of its endpoints. */
export function isServing({ ready, endpointsRemoved }: PodFacts): boolean {
  return ready && endpointsRemoved === undefined;
}
