import { podsWith } from '../drain/services-of-pod.ts';
import { indexOf } from '../model/cluster-index.ts';
import { matches } from '../model/label-index.ts';
import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/**
 * Pods that a ReplicaSet counts as its own, those told to stop excepted. Its controller may be late: a pod that its selector does not match
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
    ({ terminating, labels }) => !terminating && (selector === undefined || matches(selector, labels)),
  );
}

/** No controller owns it, and its labels are as whoever made it wants them: a ReplicaSet that they match takes it when it looks. */
export function waitsToBeTaken({ ownerKind, unlisted, released }: PodFacts): boolean {
  return ownerKind === 'none' && unlisted === undefined && released === undefined;
}

/** It runs on a node of that pool which goes: those that stay are not cordoned. */
export function isOnLeaving({ node = '' }: PodFacts, pool: string, cluster: ClusterFacts): boolean {
  const host = indexOf(cluster).nodes.get(node);
  return host?.pool === pool && host.cordoned;
}

/** It is ready, and nobody has taken it out of its endpoints. */
export function isServing({ ready, unlisted }: PodFacts): boolean {
  return ready && unlisted === undefined;
}
