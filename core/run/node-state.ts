/** The state of one node's replacement. Plain data, which only `reduceNode` changes. */
import type { RemovedSince } from '../eviction/actions.ts';
import type { ExternalChange } from '../model/external-change.ts';
import type { Problem } from '../model/problem.ts';
import { addExternalChanges } from '../status/external-changes.ts';
import type { Evidence, NodeStatus } from '../status/status.ts';
import type { NodeStep } from '../steps/node-steps.ts';
import { isGoingBack, stateOfStep, stepOf } from '../steps/steps.ts';

/** The whole state of a node's replacement. */
export interface NodeState {
  /** What queries and the report show. */
  readonly status: NodeStatus;
  /** Latest time (epoch ms) that a step returned. */
  readonly now: number;
  /** Epoch ms since which the node has been observed as deregistered; undefined before. */
  readonly deregisteredAt: number | undefined;
  /** Its connections have drained since then. */
  readonly areConnectionsDrained: boolean;
  /** When (epoch ms) pods that stay on the node were removed from their endpoints, by UID. */
  readonly removedAt: RemovedSince;
  /** How many resumes of the run the node knows of. */
  readonly resumes: number;
  /** The run was aborted while the node was being replaced. */
  readonly isAborted: boolean;
  /** No run receives the node's signals any more: its run was terminated, timed out, or was reset and does not know the node. */
  readonly isAbandoned: boolean;
  /** Services that operators have accepted since it was started: they may lose connections. */
  readonly accepted: readonly string[];
  /** The step that runs now, stalled or not. */
  readonly current: NodeStep;
  readonly stepsTaken: number;
}

/** What a step has observed of a node, external changes to it included. */
interface Seen {
  readonly evidence: readonly Evidence[];
  readonly externalChanges?: readonly ExternalChange[];
  readonly unprotected?: readonly string[];
}

/** Everything that can happen to a node's replacement. Times in epoch ms. */
export type NodeStateEvent =
  /** A step begins, or begins again. */
  | { readonly type: 'beginStep'; readonly step: NodeStep; readonly limitMs: number | undefined }
  | { readonly type: 'finishStep'; readonly at: number; readonly seen: Seen }
  /** An operator is needed. */
  | { readonly type: 'stall'; readonly problem: Problem }
  | { readonly type: 'addEvidence'; readonly seen: Seen }
  /** The node has been deregistered since `at`. */
  | { readonly type: 'deregister'; readonly at: number }
  /** Its connections have drained; it has been deregistered since `deregisteredAt`. */
  | { readonly type: 'drainConnections'; readonly deregisteredAt: number }
  | { readonly type: 'evictPods'; readonly removedAt: RemovedSince }
  /** The node was found registered again: its connections have to drain once more. */
  | { readonly type: 'repeatDraining' }
  /** The run has been resumed, `resumes` times by now. */
  | { readonly type: 'resume'; readonly resumes: number; readonly isAborted: boolean }
  /** The node is to be restored. */
  | { readonly type: 'recall'; readonly reason: string }
  | { readonly type: 'abandon' }
  | { readonly type: 'accept'; readonly service: string }
  | { readonly type: 'end'; readonly step: NodeStep };

/** The state of a node's replacement before its first step. */
export function openNodeState(
  status: Pick<NodeStatus, 'node' | 'evidence' | 'workflowId'>,
  { excludedAt, resumes }: { readonly excludedAt: number; readonly resumes: number },
): NodeState {
  return {
    status: { ...status, step: 'pending', waiting: undefined },
    now: excludedAt,
    deregisteredAt: undefined,
    areConnectionsDrained: false,
    removedAt: {},
    resumes,
    isAborted: false,
    isAbandoned: false,
    accepted: [],
    current: 'pending',
    stepsTaken: 0,
  };
}

/** Whether the node can still be restored before any of its pods has moved. */
export function isRecallable({ current }: NodeState): boolean {
  return stepOf(current).recallable === true;
}

/** Whether the node can still be restored: its instance is not being terminated. */
export function isReversible({ current }: NodeState): boolean {
  return stepOf(current).reversible || isGoingBack(stateOfStep(current));
}

/** The state of a node's replacement after an event. */
export function reduceNode(state: NodeState, event: NodeStateEvent): NodeState {
  switch (event.type) {
    case 'beginStep':
      return beginStep(state, event);
    case 'finishStep':
      return finishStep(state, event);
    case 'stall':
      return stall(state, event.problem);
    case 'addEvidence':
      return addEvidence(state, event.seen);
    case 'deregister':
      return { ...state, deregisteredAt: event.at };
    case 'drainConnections':
      return { ...state, deregisteredAt: event.deregisteredAt, areConnectionsDrained: true };
    case 'evictPods':
      return { ...state, removedAt: event.removedAt };
    case 'repeatDraining':
      return { ...state, deregisteredAt: state.now, areConnectionsDrained: false };
    case 'resume': {
      const { resumes, isAborted } = event;
      return { ...state, resumes: Math.max(state.resumes, resumes), isAborted: state.isAborted || isAborted };
    }
    case 'recall':
      return { ...state, status: { ...state.status, restoredBecause: event.reason } };
    case 'abandon':
      return { ...state, isAbandoned: true };
    case 'accept':
      return { ...state, accepted: [...state.accepted, event.service] };
    case 'end':
      return { ...state, status: { ...state.status, step: event.step, waiting: undefined } };
  }
}

type EventOf<T extends NodeStateEvent['type']> = Extract<NodeStateEvent, { readonly type: T }>;

function beginStep(state: NodeState, { step, limitMs }: EventOf<'beginStep'>): NodeState {
  const { problem: _over, ...status } = state.status;
  const waiting = {
    for: step.replaceAll('-', ' '),
    since: state.now,
    until: limitMs === undefined ? undefined : state.now + limitMs,
  };
  return { ...state, current: step, stepsTaken: state.stepsTaken + 1, status: { ...status, step, waiting } };
}

function finishStep(state: NodeState, { at, seen }: EventOf<'finishStep'>): NodeState {
  const recorded = addEvidence(state, seen);
  return { ...recorded, now: Math.max(state.now, at), status: { ...recorded.status, waiting: undefined } };
}

function stall(state: NodeState, problem: Problem): NodeState {
  const { node } = state.status;
  const waiting = {
    for: `an operator: ${state.current.replaceAll('-', ' ')}`,
    since: state.now,
    until: undefined,
    action: problem.code === 'NodeUnreachable' ? `the end of ${node.instanceId}` : 'resume',
  };
  return { ...state, status: { ...state.status, step: 'stalled', problem, waiting } };
}

function addEvidence(state: NodeState, { evidence, externalChanges = [], unprotected = [] }: Seen): NodeState {
  const { status } = state;
  return {
    ...state,
    status: {
      ...status,
      evidence: [...status.evidence, ...evidence],
      ...(externalChanges.length === 0
        ? {}
        : { externalChanges: addExternalChanges(status.externalChanges ?? [], externalChanges) }),
      ...(unprotected.length === 0
        ? {}
        : { unprotected: [...new Set([...(status.unprotected ?? []), ...unprotected])] }),
    },
  };
}
