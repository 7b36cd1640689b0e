import type { PodFacts, ReleasedFrom } from '../model/pod.ts';
import { decideEligibility } from './eligibility.ts';
import { chooseEvenly } from './even-releases.ts';
import type { HandOverContext } from './rules/rule.ts';
import { noteServed } from './served-before.ts';
import { mostReleased, workloadOf } from './surplus.ts';

/** Pods to release, and workloads that have some which may be released later, each with the reason. */
export interface Releases {
  readonly release: readonly { readonly pod: PodFacts; readonly from: ReleasedFrom }[];
  readonly later: readonly { readonly workload: string; readonly reason: string }[];
}

/** Chooses, in the order of the pods, as many of each workload as its surplus and its spreading allow beside those that are `taken` already. */
export function chooseReleases(
  pods: readonly PodFacts[],
  context: HandOverContext,
  taken: ReadonlyMap<string, number>,
): Releases {
  const counts = new Map(taken);
  const evenly = chooseEvenly(pods, context, taken);
  const release: Releases['release'][number][] = [];
  const later = new Map<string, string>();
  for (const pod of pods) {
    const workload = workloadOf(pod, context.cluster);
    if (workload === undefined) continue;
    const eligibility = decideEligibility(pod, context);
    if (!eligibility.eligible) {
      if (eligibility.passes === true && workload.rollingOut) later.set(workload.key, eligibility.reason);
      continue;
    }
    if (evenly.get(workload.key)?.has(pod.uid) === false) continue;
    const has = counts.get(workload.key) ?? 0;
    if (has >= mostReleased(workload, context.policy)) continue;
    counts.set(workload.key, has + 1);
    release.push({ pod, from: eligibility.from });
  }
  return {
    release: noteServed(release, context.cluster),
    later: [...later].map(([workload, reason]) => ({ workload, reason })),
  };
}
