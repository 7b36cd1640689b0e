import { silentSince } from '../guard/unreachable.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../model/volume.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from '../waits/decision.ts';
import { isNodeBound } from './node-bound.ts';
import { isStuckTerminating } from './stuck-terminating.ts';

/**
 * Claims whose volumes stay attached to the node until its instance ends, because their pods stay: node-bound pods, and pods that are stuck
 * terminating on a node whose kubelet is silent. Empty when no volume is attached: then the claims need not be read.
 */
export function remainingClaims(node: NodeRef, facts: ClusterFacts, now: number): readonly VolumeClaimRef[] {
  if (!facts.volumeAttachments.some((attachment) => attachment.node === node.name)) return [];
  const isSilent = silentSince(indexOf(facts).nodes.get(node.name), now) !== undefined;
  return indexOf(facts)
    .podsOn(node.name)
    .filter((pod) => isNodeBound(pod) || (isSilent && isStuckTerminating(pod, now)))
    .flatMap(({ namespace, volumeClaims = [] }) => volumeClaims.map((name) => ({ namespace, name })));
}

/**
 * Whether all volumes that have to leave the node before its instance ends are detached: their pods wait for them elsewhere. The volumes
 * of the claims in `staying` do not count, or a DaemonSet with a volume would block its node for ever; Karpenter (pkg/controllers/node/termination,
 * filterVolumeAttachments) and Cluster API (its pull request 11246) leave them out too. Ephemeral inline CSI volumes are never attached
 * (kubernetes pkg/volume/csi/csi_plugin.go, CanAttach).
 */
export function decideVolumesDetached(
  node: NodeRef,
  facts: ClusterFacts,
  staying: readonly Pick<VolumeClaimFacts, 'volume'>[],
): WaitDecision {
  const attached = facts.volumeAttachments.filter((attachment) => attachment.node === node.name);
  const names = attached
    .filter(({ volume }) => volume === undefined || !staying.some((volumeClaim) => volumeClaim.volume === volume))
    .map(({ volume, name }) => volume ?? name);
  if (names.length > 0) return { done: false, reason: `${node.name} still has attached volumes: ${listNames(names)}` };
  return { done: true, reason: `only volumes of pods that stay are attached to ${node.name}` };
}
