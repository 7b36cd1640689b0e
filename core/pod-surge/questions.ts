import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../model/volume.ts';
import { decideEligibility } from './eligibility.ts';
import type { PodSurgeContext } from './rules/rule.ts';

/** PersistentVolumeClaims of the pods on these nodes. They are read to find out whether a replacement can mount the volume too. */
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

/** Those of the claims (`namespace/name`) whose volumes several nodes may mount at the same time. */
export function sharedAmong(volumeClaims: readonly VolumeClaimFacts[]): ReadonlySet<string> {
  return new Set(volumeClaims.filter(({ isShared }) => isShared).map(({ namespace, name }) => `${namespace}/${name}`));
}

/** A pod whose release is tried with a dry run, on behalf of all pods of its workload. */
export interface Trial {
  readonly workload: string;
  readonly pod: PodFacts;
  readonly from: ReleasedFrom;
}

/** One pod of each workload on these nodes that would be surged according to the observation. */
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
