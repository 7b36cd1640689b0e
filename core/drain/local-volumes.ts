import { onceFor } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { LocalVolumeFacts } from '../model/surroundings.ts';

/** Volumes of the pod that are on its node: on no other will it ever run again. */
export function localVolumesOf(
  { namespace, claims = [] }: PodFacts,
  cluster: ClusterFacts,
): readonly LocalVolumeFacts[] {
  if (claims.length === 0) return [];
  return claims.flatMap((claim) => byClaim(cluster).get(`${namespace}/${claim}`) ?? []);
}

const byClaim = onceFor(
  ({ localVolumes = [] }: ClusterFacts) => new Map(localVolumes.map((volume) => [volume.claim, volume])),
);
