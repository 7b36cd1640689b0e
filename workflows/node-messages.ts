/** The messages between the workflow of a pool and those of its nodes, and the query of a node. Plain data, as in messages.ts. */
import type { Problem } from '../core/model/problem.ts';
import type { NodeStatus } from '../core/status/status.ts';
import type { NodeStep } from '../core/steps/node-steps.ts';
import { query, signal } from './define.ts';

/** Status of one node's replacement. */
export const nodeStatusQuery = query<NodeStatus>('status');

/** Node workflow to pool workflow: this node is stalled. */
export const nodeStalledSignal = signal<[NodeStalled]>('nodeStalled');

/** Node workflow to pool workflow: this node was stalled and continues without an operator. */
export const nodeGoesOnSignal = signal<[string]>('nodeGoesOn');

/** Node workflow to pool workflow: this node was restored. Delivery fails when the run has ended, which tells the node so. */
export const nodeRestoredSignal = signal<[string]>('nodeRestored');

/** Pool workflow to node workflow: the run was reset and does not know this node, which has to continue alone. */
export const abandonedSignal = signal<[]>('abandoned');

/**
 * Pool workflow to node workflow: the node is to be retried, for the n-th time; a step that is stalled, or is about to be, is retried.
 * `isAborted` when the node is to be restored: the cancellation that says the same may arrive later.
 */
export const resumedSignal = signal<[number, { readonly isAborted: boolean }]>('resumed');

/** Pool workflow to node workflow: restore the node, for this reason, unless a pod has already been told to leave. */
export const recallSignal = signal<[string]>('recall');

/** Pool workflow to node workflow: restore the node for good, for this reason, unless its instance is being terminated. It answers. */
export const skipSignal = signal<[string]>('skip');

/** Pool workflow to node workflow: this Service, `namespace/name`, may lose connections; steps that begin from now on know it. */
export const acceptedSignal = signal<[string]>('accepted');

/** Node workflow to pool workflow: whether it restores its node because the node is to be skipped. */
export const skipAnsweredSignal = signal<[SkipAnswer]>('skipAnswered');

/** Whether a node can be skipped. */
export interface SkipAnswer {
  readonly node: string;
  /** Why not, as text; absent when it can. */
  readonly refusedBecause?: string;
}

/** What a stalled node sends to its pool workflow. */
export interface NodeStalled {
  readonly node: string;
  /** ID of the node's workflow. */
  readonly workflowId: string;
  /** The step that failed. */
  readonly step: NodeStep;
  readonly problem: Problem;
  /** How many of its retries the node knew of when it stalled. */
  readonly resumes: number;
}
