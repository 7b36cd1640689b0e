/** The nodes of a run, and the step that each is in. */
import type { NodeRef } from '../model/node.ts';
import type { Problem } from '../model/problem.ts';
import type { Evidence, NodeStatus } from '../status/status.ts';
import type { NodeStep } from '../steps/node-steps.ts';
import { isDone, stateOfStep } from '../steps/steps.ts';
import type { EventOf } from './events.ts';
import type { RunState } from './state.ts';

/** The fields of a node that may change; `problem: undefined` removes the problem. */
type NodeChange = Partial<Omit<NodeStatus, 'problem'>> & { readonly problem?: Problem | undefined };

/** The status of a node; undefined when the run does not know the node. */
export function statusOf({ status, positions }: RunState, { uid }: Pick<NodeRef, 'uid'>): NodeStatus | undefined {
  const position = positions[uid];
  return position === undefined ? undefined : status.nodes[position];
}

/**
 * The status of the node with this name. Of several one after another it is the one in progress, or else the latest with which the run is not
 * finished, or else the latest.
 */
export function statusOfNamed(state: RunState, name: string): NodeStatus | undefined {
  const { inProgress, latest, positions, status } = state;
  const uid = inProgress[name]?.uid;
  const position = uid === undefined ? latest[name] : positions[uid];
  const seen = position === undefined ? undefined : status.nodes[position];
  if (uid !== undefined || seen === undefined || !isFinishedWith(seen.step)) return seen;
  return status.nodes.findLast((other) => other.node.name === name && !isFinishedWith(other.step)) ?? seen;
}

/** Whether the run has nothing left to do with a node in this step. */
function isFinishedWith(step: NodeStep): boolean {
  return isDone(stateOfStep(step));
}

/** The step that a node is in; undefined when the run does not know the node. */
export function stepOf(state: RunState, node: Pick<NodeRef, 'uid'>): NodeStep | undefined {
  return statusOf(state, node)?.step;
}

/**
 * Those of the nodes that are pending, without those that wait for an operator, and without those whose name another node had before them
 * that is still in progress: its workflow has their name.
 */
export function pendingOf(state: RunState, nodes: readonly NodeRef[]): readonly NodeRef[] {
  return idleOf(state, nodes).filter(
    (node) => stepOf(state, node) === 'pending' && state.stalledNodes[node.name] === undefined,
  );
}

/** Those of the nodes that have not been replaced, drained or skipped. */
export function leftOf(state: RunState, nodes: readonly NodeRef[]): readonly NodeRef[] {
  return nodes.filter((node) => !isFinishedWith(stepOf(state, node) ?? 'pending'));
}

/** The nodes that were skipped. */
export function skippedOf({ status }: Pick<RunState, 'status'>): readonly NodeStatus[] {
  return status.nodes.filter(({ step }) => step === 'skipped');
}

/** Those of the nodes that are not in progress. */
export function idleOf({ inProgress }: RunState, nodes: readonly NodeRef[]): readonly NodeRef[] {
  return nodes.filter(({ name }) => inProgress[name] === undefined);
}

/** Adds nodes that the run did not know yet, as pending. */
export function trackNodes(state: RunState, { nodes }: Pick<EventOf<'trackNodes'>, 'nodes'>): RunState {
  const unknown = nodes.filter(({ uid }) => state.positions[uid] === undefined);
  if (unknown.length === 0) return state;
  const positions = { ...state.positions };
  const latest = { ...state.latest };
  const all = [...state.status.nodes];
  for (const node of unknown) {
    // The same node may be given twice.
    if (positions[node.uid] !== undefined) continue;
    positions[node.uid] = all.length;
    latest[node.name] = all.length;
    all.push({ node, step: 'pending', waiting: undefined, evidence: [] });
  }
  return { ...state, positions, latest, status: { ...state.status, nodes: all } };
}

/** Changes the status of one node: of several that had the name, the one that `statusOfNamed` means. */
export function changeNode(state: RunState, name: string, change: NodeChange): RunState {
  const known = statusOfNamed(state, name);
  const position = known === undefined ? undefined : state.positions[known.node.uid];
  if (position === undefined || known === undefined) return state;
  const { problem, ...rest } = { ...known, ...change };
  const nodes = state.status.nodes.with(position, problem === undefined ? rest : { ...rest, problem });
  return { ...state, status: { ...state.status, nodes } };
}

/** A node was excluded and its workflow requested: it is in progress from now on. Evidence of its pod surge is kept. */
export function startNode(state: RunState, event: EventOf<'startNode'>): RunState {
  const { node, workflowId } = event;
  const tracked = trackNodes(state, { nodes: [node] });
  const evidence = [...surgedBefore(tracked, node), ...event.evidence];
  const change: NodeChange = { step: 'replacing', workflowId, evidence, problem: undefined };
  const inProgress = { ...state.inProgress, [node.name]: node };
  const rounds = { ...state.rounds, [node.name]: (state.rounds[node.name] ?? 0) + 1 };
  return changeNode({ ...tracked, inProgress, rounds }, node.name, change);
}

/** The evidence of the node's pod surge, whichever round it is from. */
function surgedBefore(state: RunState, node: NodeRef): readonly Evidence[] {
  return (statusOf(state, node)?.evidence ?? []).filter(({ kind }) => kind === 'pods-surged');
}

/** Replaces the evidence of a node. */
export function setEvidence(state: RunState, { name, evidence }: EventOf<'setEvidence'>): RunState {
  return changeNode(state, name, { evidence });
}

/** The workflow of a node reports that the node was restored; the workflow has not ended yet. */
export function restoreNode(state: RunState, { name }: EventOf<'restoreNode'>): RunState {
  return state.inProgress[name] === undefined ? state : changeNode(state, name, { step: 'restored' });
}
