import type { PodFacts } from '../../model/pod.ts';
import type { DrainPolicy } from '../../policy/policy.ts';

/** What becomes of a pod on a node that is drained. */
export interface DrainDecision {
  /** `await`: it is terminating already; `refuse`: it may not be moved without the operator's word. */
  readonly outcome: 'evict' | 'skip' | 'delete-finished' | 'await' | 'refuse';
  readonly reason: string;
}

/** A rule answers for the pods that it knows and leaves the others to the next rule. Order and words are those of `kubectl drain`. */
export type DrainRule = (pod: PodFacts, drain: DrainPolicy) => DrainDecision | undefined;
