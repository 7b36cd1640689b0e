import { isFinished, type PodFacts, type ReleasedFrom } from '../model/pod.ts';
import type { Policy } from '../policy/policy.ts';
import { decideEligibility } from './eligibility.ts';
import { chooseEvenly } from './even-releases.ts';
import { openQuotaLedger } from './quota-room.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { maxReleased, workloadOf } from './surge-limit.ts';

/** Pods to release, and workloads that have some which may be released later, each with the reason. */
export interface Releases {
  readonly release: readonly { readonly pod: PodFacts; readonly from: ReleasedFrom }[];
  readonly later: readonly { readonly workload: string; readonly reason: string }[];
}

/** Chooses at that time (epoch ms), in the order of the pods, as many of each workload as its surplus, its spreading and quotas allow beside those that are `taken` already. */
export function selectReleases(
  pods: readonly PodFacts[],
  context: PodSurgeContext,
  taken: ReadonlyMap<string, number>,
  now: number,
): Releases {
  const counts = new Map(taken);
  const evenly = chooseEvenly(pods, context, taken);
  const release: Releases['release'][number][] = [];
  const later = new Map<string, string>();
  const quotas = openQuotaLedger(context.cluster);
  for (const pod of pods) {
    const workload = workloadOf(pod, context.cluster);
    if (workload === undefined) continue;
    const eligibility = decideEligibility(pod, context);
    if (!eligibility.eligible) {
      const passes = workload.rollingOut || comesBack(pod, context.policy, now);
      if (eligibility.passes === true && passes)
        later.set(workload.key, workload.rollingOut ? eligibility.reason : `${pod.name} is not ready at the moment`);
      continue;
    }
    if (evenly.get(workload.key)?.has(pod.uid) === false) continue;
    const has = counts.get(workload.key) ?? 0;
    if (has >= maxReleased(workload, context)) continue;
    const room = quotas.take(pod);
    if (room === 'later') later.set(workload.key, 'its quota has room once the pods that are leaving have gone');
    if (room !== 'taken') continue;
    counts.set(workload.key, has + 1);
    release.push({ pod, from: eligibility.from });
  }
  return {
    release,
    later: [...later].map(([workload, reason]) => ({ workload, reason })),
  };
}

/**
 * It has not been ready for a moment only, and may be again the next: a probe that failed, a kubelet that was late, an API server that was away.
 * One that stays so has nothing to hand over.
 */
function comesBack(pod: PodFacts, { waits }: Policy, now: number): boolean {
  const { ready, unreadySince = Number.NEGATIVE_INFINITY } = pod;
  return !ready && !pod.terminating && !isFinished(pod) && now - unreadySince < waits.stabilizationAfterOutageMs;
}
