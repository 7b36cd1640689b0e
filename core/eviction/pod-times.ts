import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { trackRemoved, trackStale } from './endpoint-removal.ts';
import type { Leaving } from './leaving.ts';
import { trackUnready } from './unready.ts';

/** Since when (epoch ms) pods have been out of their endpoints, still listed in them, or not ready. Plain data. */
export type PodTimes = Omit<Leaving, 'pods'>;

/** Continues the times from the previous observation. */
export function trackPods(known: PodTimes, pods: readonly PodFacts[], facts: ClusterFacts, now: number): PodTimes {
  return {
    removedAt: trackRemoved(known.removedAt, pods, facts, now),
    staleSince: trackStale(known.staleSince, pods, facts, now),
    unreadySince: trackUnready(known.unreadySince, pods, facts, now),
  };
}
