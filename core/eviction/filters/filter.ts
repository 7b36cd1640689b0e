import type { PodFacts } from '../../model/pod.ts';
import type { DrainPolicy } from '../../policy/policy.ts';

/** What happens to a pod on a node that is being emptied. */
export interface PodVerdict {
  /**
   * `await`: it is terminating already; `stuck-terminating`: so it is, and should have ended; `complete`: it runs to completion and is not told
   * to stop; `refuse`: it may not be moved without the operator's decision.
   */
  readonly outcome: 'evict' | 'skip' | 'delete-finished' | 'await' | 'stuck-terminating' | 'complete' | 'refuse';
  readonly reason: string;
}

/** What a rule knows besides the pod. */
export interface FilterContext {
  readonly drain: DrainPolicy;
  /** Epoch ms. */
  readonly now: number;
  /** Epoch ms since when the kubelet of the pod's node has not been heard from; undefined while it is. */
  readonly silentSince?: number | undefined;
  /** Its instance is terminated whatever its kubelet says; see endsUnasked. */
  readonly endsUnasked?: boolean;
}

/**
 * A rule decides about the pods that it knows and leaves the others to the next rule. Order and terms are those of `kubectl drain`, with
 * the annotations of the tools that remove nodes by themselves; docs/drain-rules.md compares them.
 */
export type PodFilter = (pod: PodFacts, context: FilterContext) => PodVerdict | undefined;
