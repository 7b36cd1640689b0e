import type { PodFacts } from '../../model/pod.ts';
import type { DrainPolicy } from '../../policy/policy.ts';

/** What becomes of a pod on a node that is drained. */
export interface PodVerdict {
  /**
   * `await`: it is terminating already; `hangs`: it is, and should have ended; `complete`: it runs to its end and is not told to stop;
   * `refuse`: it may not be moved without the operator's word.
   */
  readonly outcome: 'evict' | 'skip' | 'delete-finished' | 'await' | 'stuck-terminating' | 'complete' | 'refuse';
  readonly reason: string;
}

/** What a rule knows besides the pod. */
export interface FilterContext {
  readonly drain: DrainPolicy;
  /** Epoch ms. */
  readonly now: number;
  /** Epoch ms since when the kubelet of the pod's node has not been heard of; undefined while it is. */
  readonly silentSince?: number | undefined;
  /** Its machine is ended whatever its kubelet says; see endsUnasked. */
  readonly endsUnasked?: boolean;
}

/**
 * A rule answers for the pods that it knows and leaves the others to the next rule. Order and words are those of `kubectl drain`, with
 * the annotations of those who remove nodes by themselves; docs/drain-rules.md compares them.
 */
export type PodFilter = (pod: PodFacts, context: FilterContext) => PodVerdict | undefined;
