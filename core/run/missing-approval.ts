/** What a run lacks that nobody has approved in time. */
import type { Problem } from '../model/problem.ts';
import type { RunState } from './state.ts';

/** Whether the problem is that nobody has approved in time. */
export function isMissingApproval({ code }: Problem): boolean {
  return code === 'ApprovalMissing';
}

/** That problem, while the run waits for the approval: none, or one. A resume does not end it. */
export function missingApproval({ problems, status }: Pick<RunState, 'problems' | 'status'>): readonly Problem[] {
  return status.approval === undefined ? [] : problems.filter(isMissingApproval);
}
