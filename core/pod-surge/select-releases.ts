import { isActive, type PodFacts, type ReleasedFrom } from '../model/pod.ts';
import type { Policy } from '../policy/policy.ts';
import { decideEligibility } from './eligibility.ts';
import { chooseEvenly } from './even-releases.ts';
import { openQuotaLedger } from './quota-room.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { maxReleased, workloadOf } from './surge-limit.ts';

/** Pods to release, and workloads with pods that can be released later, each with the reason. */
interface Releases {
  readonly release: readonly { readonly pod: PodFacts; readonly from: ReleasedFrom }[];
  readonly later: readonly { readonly workload: string; readonly reason: string }[];
}

/**
 * Selects pods to release, in order: as many of each workload as its surge limit, its spread constraints and the quotas allow in addition to
 * those `taken` already. `now` is in epoch ms.
 */
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
      const passes = workload.rollingOut || mayRecover(pod, context.policy, now);
      if (eligibility.passes === true && passes)
        later.set(workload.key, workload.rollingOut ? eligibility.reason : `${pod.name} is not ready at the moment`);
      continue;
    }
    if (evenly.get(workload.key)?.has(pod.uid) === false) continue;
    const has = counts.get(workload.key) ?? 0;
    if (has >= maxReleased(workload, context)) continue;
    const room = quotas.take(pod);
    if (room === 'later') later.set(workload.key, 'its quota has room once terminating pods are gone');
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
 * Whether the pod became unready only a moment ago and may recover: a readiness probe failed, the kubelet was late, or the API server was
 * unavailable. A pod that stays unready does not serve, and so has nothing to surge.
 */
function mayRecover(pod: PodFacts, { waits }: Policy, now: number): boolean {
  const { ready, unreadySince = Number.NEGATIVE_INFINITY } = pod;
  return !ready && isActive(pod) && now - unreadySince < waits.stabilizationAfterOutageMs;
}
