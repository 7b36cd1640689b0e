import { onceFor } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { LocalVolumeFacts } from '../model/surroundings.ts';

/** Volumes of the pod that are local to its node: it can't run on any other node. */
export function localVolumesOf(
  { namespace, volumeClaims = [] }: PodFacts,
  cluster: ClusterFacts,
): readonly LocalVolumeFacts[] {
  if (volumeClaims.length === 0) return [];
  return volumeClaims.flatMap((volumeClaim) => byVolumeClaim(cluster).get(`${namespace}/${volumeClaim}`) ?? []);
}

const byVolumeClaim = onceFor(
  ({ localVolumes = [] }: ClusterFacts) => new Map(localVolumes.map((volume) => [volume.volumeClaim, volume])),
);
