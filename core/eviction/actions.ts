import type { BudgetDemand } from '../model/budget-demand.ts';
import { type PodRef, podRefOf } from '../model/pod.ts';

/**
 * Something to do to a pod, decided from one observation. Before `remove-endpoints` the caller asks by a dry-run eviction: the API server
 * may know of a budget that the observation did not show.
 */
export type PodAction =
  | { readonly kind: 'remove-endpoints'; readonly pod: PodRef; readonly removeLabels: readonly string[] }
  /** `unprotected`: callers are still sent to it, as text. */
  | { readonly kind: 'evict'; readonly pod: PodRef; readonly unprotected?: string }
  | { readonly kind: 'delete'; readonly pod: PodRef }
  | { readonly kind: 'restore-endpoints'; readonly pod: PodRef }
  /** What returns a released pod to its ReplicaSet. */
  | { readonly kind: 'raiseDeletionCost' | 'adopt' | 'restoreDeletionCost'; readonly pod: PodRef };

/** The result of an action on a pod. */
export type PodActionResult =
  | { readonly outcome: 'done' | 'gone' | 'not-ours' }
  /**
   * Rejected for now, by a budget that allows no disruption or by the API server. `retryAfterMs`: don't ask earlier, unless the budget has
   * room again.
   */
  | {
      readonly outcome: 'blocked';
      readonly by: 'budget' | 'server';
      readonly reason: string;
      readonly retryAfterMs: number;
    }
  /** Admission does not let labels be removed from the pod; the reason is part of a sentence. */
  | { readonly outcome: 'denied'; readonly reason: string }
  /** Rejected permanently, as long as nobody changes what the reason names. */
  | { readonly outcome: 'impossible'; readonly reason: string };

/** A pod that may not go yet, and what blocks it. */
export interface BlockedPod {
  readonly pod: PodRef;
  /** `namespace/name` of the PodDisruptionBudget; undefined when something else blocks the pod. */
  readonly budget: string | undefined;
  /** Pods that must stay healthy. */
  readonly needs: number;
  /** Pods that are healthy now. */
  readonly has: number;
  /** Pods that the budget counts on, healthy or not: as many as their controllers should have. Only where a budget blocks the pod. */
  readonly expects?: number;
  readonly demand?: BudgetDemand;
  readonly reason: string;
}

/** When pods were removed from their Services' endpoints, epoch ms by pod UID. Plain data. */
export type RemovedSince = Readonly<Record<string, number>>;

/** Since when (epoch ms) pods, by UID, have been observed as endpoints although they were removed. */
export type StaleSince = Readonly<Record<string, number>>;

/** Since when (epoch ms) pods that Services list, by UID, have been observed not ready. */
export type UnreadySince = Readonly<Record<string, number>>;

/** The times of these pods, by UID: as they were known, or `now` for those that are observed for the first time. */
export function keepTimes(
  known: Readonly<Record<string, number>>,
  pods: readonly PodRef[],
  now: number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(pods.map(({ uid }) => [uid, known[uid] ?? now]));
}

/** Why labels can't be removed from a pod, as part of a sentence. `message`: what admission said. */
export function explainDeniedRemoval(message: string): string {
  return `its labels may not be removed: ${message}`;
}

/** A pod that something other than a budget blocks. */
export function blockedPod(pod: PodRef, reason: string): BlockedPod {
  return { pod: podRefOf(pod), budget: undefined, needs: 0, has: 0, reason };
}
