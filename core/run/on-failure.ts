import type { ProblemCode } from '../model/problem.ts';

/** What is known when a step of a node could not be done. The node has called for help by then, unless somebody has resumed meanwhile. */
export interface Failure {
  readonly code: ProblemCode;
  /** How often the step has been tried by now. */
  readonly tries: number;
  /** Somebody has resumed the run since the step began: what it met may be mended. */
  readonly isResumed: boolean;
  /** The step brings the node out; false when it brings it back in. */
  readonly isOutgoing: boolean;
  /** The node shall come back in: this may make unnecessary what could not be done. */
  readonly isRecalled: boolean;
  /** Nobody hears any more what the node tells. */
  readonly isAbandoned: boolean;
}

/** What comes next. Whatever waits ends its wait with a resume, and on the way out with a recall. */
export type AfterFailure =
  | { readonly next: 'retry' }
  | { readonly next: 'await-resume' }
  /** Until the node is heard again or its machine has ended, too. */
  | { readonly next: 'await-reachable' }
  | { readonly next: 'retry-after'; readonly afterMs: number }
  /** Somebody has to look: trying does not help, and there is nobody to ask. */
  | { readonly next: 'give-up' };

/** So often an abandoned node tries a step: with the pauses between them over half an hour, besides the step's own patience. */
const maxTriesAlone = 6;

/** Pauses between two tries, ms: the first, which doubles with each, and the longest. */
const firstPauseMs = 60_000;
const maxPauseMs = 30 * 60_000;

/**
 * What follows a failure; the first row that fits holds. On the way out nothing is forced: an operator has it tried again. What comes back in
 * also tries again by itself: putting back hurts nobody, and only who calls for help again finds out that the run has ended since.
 *
 * | abandoned | tries | resumed, or recalled on the way out | unreachable | on the way out | next |
 * |---|---|---|---|---|---|
 * | yes | 6 | | | | give-up |
 * | | | yes | | | retry |
 * | | | | yes | | await-reachable |
 * | | | | | yes | await-resume |
 * | | | | | no | retry-after 1, 2, 4 … 30 minutes |
 */
export function onFailure(failure: Failure): AfterFailure {
  const { code, tries, isResumed, isOutgoing, isRecalled, isAbandoned } = failure;
  if (isAbandoned && tries >= maxTriesAlone) return { next: 'give-up' };
  if (isResumed || (isOutgoing && isRecalled)) return { next: 'retry' };
  if (code === 'NodeUnreachable') return { next: 'await-reachable' };
  if (isOutgoing) return { next: 'await-resume' };
  return { next: 'retry-after', afterMs: Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1)) };
}
