import type { PodRef, ReleasedFrom } from '../../core/model/pod.ts';

/** The response of the eviction API, distinguished by what Kubernetes means. */
export type EvictionOutcome =
  | { readonly outcome: 'evicted' }
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'blocked-by-budget'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'impossible'; readonly message: string };

/** What is done to pods. Ownership marks name the run that made a change. Every call may be repeated. Throws NodeferryError. */
export interface PodActions {
  /** Removes the pod from the endpoints of its Services by removing these labels; keeps the originals in an annotation. */
  removeEndpoints(pod: PodRef, removeLabels: readonly string[], run: string): Promise<'done' | 'gone'>;
  /**
   * Checks by dry run whether admission lets these labels be removed from the pod. Changes nothing. Returns the API server's message when it does not;
   * undefined when it does, or when that can't be checked.
   */
  tryRemoveEndpoints(pod: PodRef, removeLabels: readonly string[]): Promise<string | undefined>;
  restoreEndpoints(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Releases the pod from its ReplicaSet by removing that label. A replacement starts at once, while the pod keeps serving (Kubernetes docs,
   * "ReplicaSet", Isolating Pods from a ReplicaSet). Records in an annotation what it was released from. `not-owned` when that ReplicaSet does not
   * own it now, or not by that label.
   */
  release(pod: PodRef, from: ReleasedFrom, run: string): Promise<'done' | 'not-owned' | 'gone'>;
  /**
   * Checks by dry run whether the pod could be released and orphaned by its ReplicaSet. Changes nothing. Returns the API server's message when
   * admission forbids it; undefined when it does not, or when that can't be checked.
   */
  tryRelease(pod: PodRef, from: ReleasedFrom): Promise<string | undefined>;
  /** Returns the released pod to its ReplicaSet, which then has one too many and deletes one. Deletion costs decide which. */
  adopt(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Makes a ReplicaSet that has too many pods delete others before this one; keeps the previous cost in an annotation. */
  raiseDeletionCost(pod: PodRef, run: string): Promise<'done' | 'gone'>;
  restoreDeletionCost(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Makes the ReplicaSet of the pod reconcile now, by a change of the pod that is reverted at once. A ReplicaSet that was refused a pod waits up to
   * 1,000 s before it tries again, unless something about its pods changes.
   */
  wakeOwner(pod: PodRef, run: string): Promise<void>;
  evict(pod: PodRef, options: { readonly dryRun: boolean }): Promise<EvictionOutcome>;
  /** Plain delete by uid, only for pods that eviction does not cover (DaemonSet pods on a disrupted node, finished pods). */
  deletePod(pod: PodRef): Promise<'done' | 'gone'>;
}
