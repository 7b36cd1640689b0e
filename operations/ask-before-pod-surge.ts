import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { sharedAmong, type Trial, trialsOn, volumeClaimsOn } from '../core/pod-surge/questions.ts';
import type { PodSurgeContext } from '../core/pod-surge/rules/rule.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Cluster } from '../ports/cluster.ts';

/** What no look shows of pods that may be handed over. */
export type Asked = Required<Pick<PodSurgeContext, 'sharedVolumeClaims' | 'denials'>>;

/** Whether the API server would let a pod go, for all of its workload: its word against it, or undefined. */
export type TryRelease = (trial: Trial) => Promise<string | undefined>;

/** Runs whose trials a worker keeps in mind; it forgets the earliest beyond that, and then asks anew. */
const maxRuns = 50;

/**
 * Tries for a run, once for each revision of a workload: its pods are made from one template, so that what let one go lets the next one go,
 * and each wave of hundreds asks. A refusal is not kept: somebody may have mended it since. What admission makes of a release that was
 * kept for accepted shows when it is made.
 */
export function createTrials(cluster: Pick<Cluster, 'tryRelease'>): (run: string) => TryRelease {
  const accepted = new Map<string, Set<string>>();
  return (run) => {
    const ofRun = accepted.get(run) ?? new Set();
    accepted.set(run, ofRun);
    const [earliest] = accepted.keys();
    if (accepted.size > maxRuns && earliest !== undefined) accepted.delete(earliest);
    return async ({ workload, pod, from }) => {
      const revision = `${workload} ${from.replicaSet.uid}`;
      if (ofRun.has(revision)) return undefined;
      const denial = await cluster.tryRelease(pod, from);
      if (denial === undefined) ofRun.add(revision);
      return denial;
    };
  };
}

/** Asks the API server: about the volumes of pods on these nodes, and whether it would let them go. Changes nothing. */
export async function askBeforePodSurge(
  { cluster, tryRelease }: { readonly cluster: Pick<Cluster, 'readVolumeClaims'>; readonly tryRelease: TryRelease },
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): Promise<Asked> {
  const volumeClaims = volumeClaimsOn(nodes, facts);
  const sharedVolumeClaims = sharedAmong(volumeClaims.length === 0 ? [] : await cluster.readVolumeClaims(volumeClaims));
  const denials = new Map<string, string>();
  for (const trial of trialsOn(nodes, { cluster: facts, policy, sharedVolumeClaims })) {
    const denial = await tryRelease(trial);
    if (denial !== undefined) denials.set(trial.workload, denial);
  }
  return { sharedVolumeClaims, denials };
}
