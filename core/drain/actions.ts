/** A pod, by the names that make acting on it safe. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Something to do to a pod, decided from one look. Before `unlist` the caller asks by an eviction with dry run: the API server may
 * know of a budget that the look did not show.
 */
export type PodAction =
  | { readonly kind: 'unlist'; readonly pod: PodIdentity; readonly removeLabels: readonly string[] }
  /** `notProtected`: callers are still sent to it, in words. */
  | { readonly kind: 'evict'; readonly pod: PodIdentity; readonly notProtected?: string }
  | { readonly kind: 'delete'; readonly pod: PodIdentity }
  | { readonly kind: 'relist'; readonly pod: PodIdentity };

/** A pod that may not go yet, and what holds it. */
export interface BlockedPod {
  readonly pod: PodIdentity;
  /** `namespace/name` of the PodDisruptionBudget; undefined when something else holds the pod. */
  readonly budget: string | undefined;
  /** Pods that must stay healthy. */
  readonly needs: number;
  /** Pods that are healthy now. */
  readonly has: number;
  readonly reason: string;
}

/** When pods were taken out of their Services' endpoints, epoch ms by pod UID. Plain data. */
export type UnlistedSince = Readonly<Record<string, number>>;

/** Since when (epoch ms) unlisted pods, by UID, have been seen to be endpoints all the same. */
export type LaggingSince = Readonly<Record<string, number>>;

/** Since when (epoch ms) pods that Services name, by UID, have been seen not ready. */
export type UnreadySince = Readonly<Record<string, number>>;

/** The times of these pods, by UID: as they were known, or `now` for those that are seen so for the first time. */
export function keepTimes(
  known: Readonly<Record<string, number>>,
  pods: readonly PodIdentity[],
  now: number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(pods.map(({ uid }) => [uid, known[uid] ?? now]));
}

/** A pod that something else than a budget holds. */
export function tellHeld(pod: PodIdentity, reason: string): BlockedPod {
  return { pod: identify(pod), budget: undefined, needs: 0, has: 0, reason };
}

/** The names of a pod without its facts. */
export function identify(pod: PodIdentity): PodIdentity {
  return { namespace: pod.namespace, name: pod.name, uid: pod.uid };
}
