/** What needs an operator: the run itself, some of its nodes, or nothing. */

import type { Problem } from '../model/problem.ts';
import { stepOf } from '../steps/steps.ts';
import type { EventOf } from './events.ts';
import { changeNode } from './nodes.ts';
import type { RunState } from './state.ts';
import { without } from './without.ts';

/** Whether other nodes may continue while this problem waits for an operator. */
function sparesOthers({ code }: Problem): boolean {
  return code === 'NodeUnreachable';
}

/** Whether nodes may be excluded now. */
export function mayProceed({ status: { paused, stalled } }: RunState): boolean {
  return paused === undefined && (stalled === undefined || sparesOthers(stalled));
}

/** Whether this node waits for an operator while others continue. */
export function isUnreachable({ stalledNodes }: RunState, { name }: { readonly name: string }): boolean {
  const problem = stalledNodes[name];
  return problem !== undefined && sparesOthers(problem);
}

/** The state with these problems. Of several, `status` shows one that stops all nodes before one that stops a single node, and the run's own first. */
export function withProblems(
  state: RunState,
  { problem, stalledNodes }: Pick<RunState, 'problem' | 'stalledNodes'>,
): RunState {
  const all = [...(problem === undefined ? [] : [problem]), ...Object.values(stalledNodes)];
  const stalled = all.find((one) => !sparesOthers(one)) ?? all[0];
  return { ...state, problem, stalledNodes, status: { ...state.status, stalled } };
}

/** The run needs an operator; no node is excluded until one has resumed it. */
export function stall(state: RunState, { problem }: EventOf<'stall'>): RunState {
  return withProblems(state, { problem, stalledNodes: state.stalledNodes });
}

/**
 * A node needs an operator, unless a resume that came meanwhile is about to reach it, or it is restored without an operator. A node that
 * the run did not start, because the run was reset, does not belong to it.
 */
export function markStalled(state: RunState, event: EventOf<'markStalled'>): RunState {
  const { name, step, problem, resumes, isCancelled } = event;
  const isMoot = isCancelled && stepOf(step).reversible;
  if (state.inProgress[name] === undefined || isMoot || resumes < state.resumes) return state;
  const stalledNodes = { ...state.stalledNodes, [name]: problem };
  const { problem: own } = state;
  return withProblems(changeNode(state, name, { step: 'stalled', problem }), { problem: own, stalledNodes });
}

/** A stalled node continues. */
export function clearStalled(state: RunState, { name }: EventOf<'clearStalled'>): RunState {
  if (state.stalledNodes[name] === undefined) return state;
  const moving = changeNode(state, name, { step: 'replacing', problem: undefined });
  return withProblems(moving, { problem: state.problem, stalledNodes: without(state.stalledNodes, name) });
}

/** Everything that is stalled, or is about to be, is retried. */
export function retryStalled(state: RunState): RunState {
  const moving = Object.keys(state.stalledNodes).reduce(
    (next, name) => clearStalled(next, { type: 'clearStalled', name }),
    state,
  );
  return withProblems({ ...moving, resumes: state.resumes + 1 }, { problem: undefined, stalledNodes: {} });
}
