/** What needs an operator: the run itself, some of its nodes, or nothing. */

import type { NodeRef } from '../model/node.ts';
import type { Problem } from '../model/problem.ts';
import { stepOf } from '../steps/steps.ts';
import { count, listNames } from '../text/format.ts';
import { audit } from './audit.ts';
import type { EventOf } from './events.ts';
import { changeNode } from './nodes.ts';
import { type RunState, resumesOf } from './state.ts';
import { without } from './without.ts';

/** Whether other nodes may continue while this problem waits for an operator, however many have it. */
function sparesOthers({ code }: Problem): boolean {
  return code === 'NodeUnreachable';
}

/** Names of the stalled nodes that count against `spec.rollout.maxFailures`. */
function failuresOf({ stalledNodes }: RunState): readonly string[] {
  return Object.entries(stalledNodes).flatMap(([name, problem]) => (sparesOthers(problem) ? [] : [name]));
}

/** Whether more nodes are stalled than may be while others continue. While a run rolls back, none may. */
function hasTooManyStalled(state: RunState): boolean {
  const max = state.isRollingBack ? 0 : (state.plan?.policy.rollout?.maxFailures ?? 0);
  return failuresOf(state).length > max;
}

/** Whether nodes may be excluded now. */
export function mayProceed(state: RunState): boolean {
  const { problems, status } = state;
  return status.paused === undefined && problems.every(sparesOthers) && !hasTooManyStalled(state);
}

/** Whether this node waits for an operator. */
export function isStalled({ stalledNodes }: RunState, { name }: Pick<NodeRef, 'name'>): boolean {
  return stalledNodes[name] !== undefined;
}

/** Whether this node waits for an operator while others continue. */
export function isSetAside(state: RunState, { name }: Pick<NodeRef, 'name'>): boolean {
  const problem = state.stalledNodes[name];
  return problem !== undefined && (sparesOthers(problem) || !hasTooManyStalled(state));
}

/** The state with these problems, and those that are not named as they are. Of several, `status` shows one that stops all nodes before one that stops a single node, and the run's own first. */
export function withProblems(state: RunState, changes: Partial<Pick<RunState, 'problems' | 'stalledNodes'>>): RunState {
  const { problems, stalledNodes } = { ...state, ...changes };
  const all = [...problems, ...Object.values(stalledNodes)];
  const stalled = all.find((one) => !sparesOthers(one)) ?? all[0];
  return pauseForStalled({ ...state, problems, stalledNodes, status: { ...state.status, stalled } });
}

/** Pauses the run while more nodes are stalled than `spec.rollout.maxFailures` allows. A pause by somebody else stays as it is. */
function pauseForStalled(state: RunState): RunState {
  const { paused } = state.status;
  const max = state.plan?.policy.rollout?.maxFailures;
  if (paused !== undefined && paused.endsByItself !== true) return state;
  if (max === undefined || state.isRollingBack || !hasTooManyStalled(state)) return withPause(state, undefined);
  const names = failuresOf(state);
  const reason = `${count(names.length, 'node')} stalled (${listNames(names)}), and spec.rollout.maxFailures is ${max}`;
  const asked = { by: 'nodeferry', reason, at: paused?.at ?? state.now };
  const audited = paused === undefined ? audit(state, 'pause', asked) : state;
  return withPause(audited, { ...asked, endsByItself: true });
}

function withPause(state: RunState, paused: RunState['status']['paused']): RunState {
  return { ...state, status: { ...state.status, paused } };
}

/** The run needs an operator; no node is excluded until one has resumed it. */
export function stall(state: RunState, { problem }: EventOf<'stall'>): RunState {
  return withProblems(state, { problems: [problem, ...state.problems] });
}

/** The run does not need an operator any more because of this problem; it still does because of others that are open. */
export function endStall(state: RunState, { problem }: EventOf<'endStall'>): RunState {
  const problems = state.problems.filter((one) => one !== problem);
  return problems.length === state.problems.length ? state : withProblems(state, { problems });
}

/**
 * A node needs an operator, unless a retry that came meanwhile is about to reach it, or it is restored without an operator. A node that
 * the run did not start, because the run was reset, does not belong to it.
 */
export function markStalled(state: RunState, event: EventOf<'markStalled'>): RunState {
  const { name, step, problem, resumes, isCancelled } = event;
  const isMoot = isCancelled && stepOf(step).reversible;
  if (state.inProgress[name] === undefined || isMoot || resumes < resumesOf(state, name)) return state;
  const stalledNodes = { ...state.stalledNodes, [name]: problem };
  return withProblems(changeNode(state, name, { step: 'stalled', problem }), { stalledNodes });
}

/** A stalled node continues. */
export function clearStalled(state: RunState, { name }: Pick<NodeRef, 'name'>): RunState {
  if (state.stalledNodes[name] === undefined) return state;
  const step = state.inProgress[name] === undefined ? 'pending' : 'replacing';
  const moving = changeNode(state, name, { step, problem: undefined });
  return withProblems(moving, { stalledNodes: without(state.stalledNodes, name) });
}

/** Everything that is stalled, or is about to be, is retried; `left` are the problems that this does not end. */
export function retryStalled(state: RunState, left: RunState['problems']): RunState {
  const moving = Object.keys(state.stalledNodes).reduce((next, name) => clearStalled(next, { name }), state);
  return withProblems({ ...moving, resumes: state.resumes + 1 }, { problems: left, stalledNodes: {} });
}
