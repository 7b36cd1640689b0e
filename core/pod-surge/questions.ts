import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../model/volume.ts';
import { decideEligibility } from './eligibility.ts';
import type { PodSurgeContext } from './rules/rule.ts';

/** Claims of pods on these nodes, to be read: whether a replacement can have the volume too. */
export function volumeClaimsOn(
  nodes: readonly Pick<NodeRef, 'name'>[],
  facts: ClusterFacts,
): readonly VolumeClaimRef[] {
  return nodes.flatMap(({ name }) =>
    indexOf(facts)
      .podsOn(name)
      .flatMap(({ namespace, volumeClaims = [] }) =>
        volumeClaims.map((volumeClaim) => ({ namespace, name: volumeClaim })),
      ),
  );
}

/** Of these, those (`namespace/name`) whose volumes any number of nodes may mount. */
export function sharedAmong(volumeClaims: readonly VolumeClaimFacts[]): ReadonlySet<string> {
  return new Set(volumeClaims.filter(({ isShared }) => isShared).map(({ namespace, name }) => `${namespace}/${name}`));
}

/** A pod whose release is to be tried, for all of its workload. */
export interface Trial {
  readonly workload: string;
  readonly pod: PodFacts;
  readonly from: ReleasedFrom;
}

/** One pod of each workload on these nodes that would be handed over, as far as the look tells. */
export function trialsOn(nodes: readonly Pick<NodeRef, 'name'>[], context: PodSurgeContext): readonly Trial[] {
  const trials = new Map<string, Trial>();
  for (const pod of nodes.flatMap(({ name }) => indexOf(context.cluster).podsOn(name))) {
    const { workload } = pod;
    if (workload === undefined || trials.has(workload)) continue;
    const eligibility = decideEligibility(pod, context);
    if (eligibility.eligible) trials.set(workload, { workload, pod, from: eligibility.from });
  }
  return [...trials.values()];
}
