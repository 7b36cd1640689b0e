/** Approvals that a run waits for. */
import { audit } from './audit.ts';
import type { EventOf } from './events.ts';
import { isMissingApproval, missingApproval } from './missing-approval.ts';
import { beginRollback } from './operators.ts';
import { withProblems } from './stalled.ts';
import type { RunState } from './state.ts';

/** The run waits until somebody approves or rejects. */
export function requestApproval(state: RunState, event: EventOf<'requestApproval'>): RunState {
  const { of, since, until, onTimeout } = event;
  return { ...state, status: { ...state.status, approval: { of, since, until, onTimeout } } };
}

/** Somebody has approved: the run continues, even if it has stalled because nobody had. */
export function approve(state: RunState, event: EventOf<'approve'>): RunState {
  const { approval } = state.status;
  if (approval === undefined) return state;
  return withoutApproval(audit(state, 'approve', event, approval.of));
}

/** Somebody has rejected: the run rolls back. */
export function reject(state: RunState, event: EventOf<'reject'>): RunState {
  const { approval } = state.status;
  if (approval === undefined) return state;
  return beginRollback(withoutApproval(audit(state, 'reject', event, approval.of)));
}

/** The request no longer counts: the run rolls back. */
export function withoutApproval(state: RunState): RunState {
  const { approval: _, ...status } = state.status;
  const problems = state.problems.filter((problem) => !isMissingApproval(problem));
  return withProblems({ ...state, status }, { problems });
}

/** Whether a run that is stalled waits for nothing but an approval, which a resume can't replace: it needs no other. */
export function lacksOnlyApproval(state: RunState): boolean {
  const { problems, stalledNodes } = state;
  return (
    problems.length > 0 && missingApproval(state).length === problems.length && Object.keys(stalledNodes).length === 0
  );
}
