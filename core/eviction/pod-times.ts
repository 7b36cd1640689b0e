import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { trackRemoved, trackStale } from './endpoint-removal.ts';
import type { Leaving } from './leaving.ts';
import { trackDrained } from './target-removal.ts';
import { trackUnready } from './unready.ts';

/** Since when (epoch ms) pods have been out of their endpoints, still listed in them, or not ready; when their connections have drained. Plain data. */
export type PodTimes = Omit<Leaving, 'pods'>;

/** Continues the times from the previous observation. */
export function trackPods(
  known: PodTimes,
  pods: readonly PodFacts[],
  question: { readonly facts: ClusterFacts; readonly policy: Policy; readonly now: number },
): PodTimes {
  const { facts, now } = question;
  return {
    removedAt: trackRemoved(known.removedAt, pods, facts, now),
    staleSince: trackStale(known.staleSince, pods, facts, now),
    unreadySince: trackUnready(known.unreadySince, pods, facts, now),
    drainedAt: trackDrained(known.drainedAt, pods, question),
  };
}
