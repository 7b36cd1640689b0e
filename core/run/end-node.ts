/** What happens to a node whose workflow has ended. */
import type { NodeRef } from '../model/node.ts';
import type { Problem } from '../model/problem.ts';
import type { NodeStatus } from '../status/status.ts';
import type { EventOf } from './events.ts';
import { changeNode, statusOf } from './nodes.ts';
import { recordTime } from './phases.ts';
import { recordExternalChanges } from './records.ts';
import { withProblems } from './stalled.ts';
import { type RunState, resumesOf } from './state.ts';
import { without } from './without.ts';

/** After so many rounds that each ended with the node restored, an operator is needed: the cause is not temporary. */
const maxRounds = 6;

/** The node is finished, waits to be excluded again, or waits for that until an operator has resumed. */
type After = 'ended' | 'requeue' | { readonly requeueStalledBy: Problem };

/**
 * Records how a node's workflow ended. A node that was restored because it should not have been excluded waits for its next round. A
 * node whose workflow could not start, failed, or was cancelled on its own (in the Temporal UI) needs an operator, then starts again.
 */
export function endNode(state: RunState, event: EventOf<'endNode'>): RunState {
  const { name, end } = event;
  const node = state.inProgress[name];
  if (node === undefined) return state;
  if (isSkipped(state, node) && end.kind === 'answered') return endSkipped(state, node, end.status, event.clock);
  const known =
    end.kind === 'answered' ? recordRestored(mergeStatus(state, node, end.status, event.clock), event) : state;
  const after = decideAfter(known, node, event);
  const problem = typeof after === 'string' ? undefined : after.requeueStalledBy;
  const next = after === 'ended' ? known : changeNode(known, name, { step: 'pending', problem });
  const others = without(next.stalledNodes, name);
  return withProblems(
    { ...next, inProgress: without(next.inProgress, name) },
    { stalledNodes: problem === undefined ? others : { ...others, [name]: problem } },
  );
}

function isSkipped(state: RunState, node: NodeRef): boolean {
  return statusOf(state, node)?.skipped !== undefined && !state.isRollingBack;
}

/** A skipped node has been restored; or its instance had ended by itself, and the node was replaced after all. */
function endSkipped(state: RunState, node: NodeRef, status: NodeStatus, clock: number): RunState {
  const { name } = node;
  const { restoredBecause: _skipped, ...rest } = status;
  const wasTooLate = status.step === 'replaced';
  const merged = mergeStatus(state, node, wasTooLate ? rest : { ...rest, step: 'skipped' }, clock);
  const what = `${name} was to be skipped, but its instance had ended by itself`;
  const known = recordExternalChanges(merged, { changes: wasTooLate ? [{ at: merged.now, what }] : [] });
  return withProblems(
    { ...known, inProgress: without(known.inProgress, name) },
    { stalledNodes: without(known.stalledNodes, name) },
  );
}

/** Why a restored node waits for its next round; undefined when it does not wait, or when no reason is known. */
function restoredBecause({ end, isCancelled }: Pick<EventOf<'endNode'>, 'end' | 'isCancelled'>): string | undefined {
  if (end.kind !== 'answered' || end.status.step !== 'restored' || isCancelled) return undefined;
  return end.status.restoredBecause;
}

function mergeStatus(state: RunState, node: NodeRef, status: NodeStatus, clock: number): RunState {
  const at = status.evidence.at(-1)?.at ?? state.now;
  const timed = recordTime(state, { at, clock });
  return changeNode(timed, node.name, { ...status, node, problem: status.problem });
}

/** Records that a node was restored because it should not have been excluded. */
function recordRestored(state: RunState, event: EventOf<'endNode'>): RunState {
  const because = restoredBecause(event);
  if (because === undefined) return state;
  const what = `${event.name} was restored: ${because}`;
  return recordExternalChanges(state, { changes: [{ at: state.now, what }] });
}

function decideAfter(state: RunState, node: NodeRef, event: EventOf<'endNode'>): After {
  const { end, isCancelled } = event;
  switch (end.kind) {
    case 'answered': {
      if (end.status.step !== 'restored' || isCancelled) return 'ended';
      const because = restoredBecause(event);
      if (because === undefined) return { requeueStalledBy: cancelledByItself(node) };
      const rounds = state.rounds[node.name] ?? 0;
      const isHopeless = rounds > 0 && rounds % maxRounds === 0;
      return isHopeless ? { requeueStalledBy: neverStays(node, rounds, because) } : 'requeue';
    }
    case 'cancelled':
      return isCancelled ? 'requeue' : { requeueStalledBy: cancelledByItself(node) };
    case 'runs-already':
      return isTriedAgain(state, node, event) ? 'requeue' : { requeueStalledBy: runsAlready(node, end.workflowId) };
    case 'failed':
      return { requeueStalledBy: end.problem };
  }
}

/** Whether the node was to be retried since it was started: then it starts again without another resume. */
export function isTriedAgain(
  state: RunState,
  { name }: Pick<NodeRef, 'name'>,
  { resumes }: Pick<EventOf<'endNode'>, 'resumes'>,
): boolean {
  return resumesOf(state, name) > resumes;
}

function neverStays(node: NodeRef, rounds: number, because: string): Problem {
  return {
    code: 'Conflict',
    message: `${node.name} was excluded ${rounds} times and restored each time, the last time because ${because}`,
    hint: 'See what makes that Service or budget lose others repeatedly; resume once it is stable, or abort the run.',
  };
}

function cancelledByItself(node: NodeRef): Problem {
  return {
    code: 'Conflict',
    message: `the replacement of ${node.name} was cancelled by itself; the node was restored`,
    hint: 'Resume to replace it again, or abort the run.',
  };
}

function runsAlready(node: NodeRef, workflowId: string): Problem {
  return {
    code: 'Conflict',
    message: `the replacement of ${node.name} can't start: workflow ${workflowId} runs already`,
    hint: 'It was told to restore its node: resume once it has ended. If it is stuck, end it first; or abort the run.',
  };
}
