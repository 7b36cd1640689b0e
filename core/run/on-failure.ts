import type { ProblemCode } from '../model/problem.ts';

/** What is known when a step of a node has failed. The node has signalled that it is stalled by then, unless the run was resumed meanwhile. */
export interface Failure {
  readonly code: ProblemCode;
  /** How many attempts the step has had. */
  readonly tries: number;
  /** The run was resumed since the step began: the cause may be fixed. */
  readonly isResumed: boolean;
  /** The step is part of replacing the node; false when it restores the node. */
  readonly isOutgoing: boolean;
  /** The node is to be restored: the failed step may not be needed any more. */
  readonly isRecalled: boolean;
  /** No run receives the node's signals any more. */
  readonly isAbandoned: boolean;
}

/** What comes next. Every wait ends with a resume; while the node is being replaced, also with a recall. */
export type AfterFailure =
  | { readonly next: 'retry' }
  | { readonly next: 'await-resume' }
  /** The wait also ends when the node is reachable again or its instance has terminated. */
  | { readonly next: 'await-reachable' }
  | { readonly next: 'retry-after'; readonly afterMs: number }
  /** Further attempts do not help, and there is no run that could ask an operator. */
  | { readonly next: 'give-up' };

/** Attempts of an abandoned node at one step. The pauses between them add up to more than half an hour, besides the step's own deadline. */
const maxAttemptsAlone = 6;

/** Pauses between two attempts, ms: the first, which doubles with each attempt, and the longest. */
const firstPauseMs = 60_000;
const maxPauseMs = 30 * 60_000;

/**
 * What follows a failure; the first row that matches applies. A step that replaces a node is retried only when an operator resumes: nothing
 * is forced. A step that restores a node is also retried by itself: restoring does no harm, and only a node that signals again that it is
 * stalled finds out that its run has ended since.
 *
 * | abandoned | tries | resumed, or recalled while being replaced | unreachable | being replaced | next |
 * |---|---|---|---|---|---|
 * | yes | 6 | | | | give-up |
 * | | | yes | | | retry |
 * | | | | yes | | await-reachable |
 * | | | | | yes | await-resume |
 * | | | | | no | retry-after 1, 2, 4 … 30 minutes |
 */
export function onFailure(failure: Failure): AfterFailure {
  const { code, tries, isResumed, isOutgoing, isRecalled, isAbandoned } = failure;
  if (isAbandoned && tries >= maxAttemptsAlone) return { next: 'give-up' };
  if (isResumed || (isOutgoing && isRecalled)) return { next: 'retry' };
  if (code === 'NodeUnreachable') return { next: 'await-reachable' };
  if (isOutgoing) return { next: 'await-resume' };
  return { next: 'retry-after', afterMs: Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1)) };
}
