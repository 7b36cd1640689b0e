import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts, Untried } from '../core/model/serving.ts';
import { sharedAmong, type Trial, trialsOn, volumeClaimsOn } from '../core/pod-surge/questions.ts';
import type { PodSurgeContext } from '../core/pod-surge/rules/rule.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import { type Answer, tryEach } from './try-removals.ts';

/** What no observation shows about pods that may be surged. */
export type Asked = Required<Pick<PodSurgeContext, 'sharedVolumeClaims' | 'denials'>>;

/** Asks the API server whether a pod may be released, on behalf of its whole workload. */
export type TryRelease = (trial: Trial) => Promise<Answer>;

/** Number of runs whose trials a worker remembers; beyond that it forgets the earliest, and asks again. */
const maxRuns = 50;

/**
 * Tries once per run for each revision of a workload. Its pods are made from one template, so if one may be released, so may the next, and
 * each of hundreds of batches asks. A denial is not remembered: somebody may have fixed it since. If admission denies a release that is
 * remembered as accepted, the release itself shows it.
 */
export function createTrials(cluster: Pick<PodActions, 'tryRelease'>): (run: string) => TryRelease {
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

/** Asks the API server about the volumes of pods on these nodes, and whether the pods may be released. Changes nothing. */
export async function askBeforePodSurge(
  {
    cluster,
    tryRelease,
  }: { readonly cluster: Pick<ClusterObserver, 'readVolumeClaims'>; readonly tryRelease: TryRelease },
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): Promise<Asked & { readonly untried?: Untried }> {
  const volumeClaims = volumeClaimsOn(nodes, facts);
  const sharedVolumeClaims = sharedAmong(volumeClaims.length === 0 ? [] : await cluster.readVolumeClaims(volumeClaims));
  const denials = new Map<string, string>();
  const trials = trialsOn(nodes, { cluster: facts, policy, sharedVolumeClaims });
  const untried = await tryEach(trials, tryRelease, ({ workload }, denial) => void denials.set(workload, denial));
  return { sharedVolumeClaims, denials, ...(untried && { untried }) };
}
