import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { Exclusion } from '../../activities/exclusion.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { Direction } from '../../core/policy/members.ts';
import { acceptedDuring, withAccepted } from '../../core/run/accepted-services.ts';
import { isTriedAgain } from '../../core/run/end-node.ts';
import type { NodeEnd } from '../../core/run/events.ts';
import { leftOf, pendingOf, statusOf } from '../../core/run/nodes.ts';
import { isSetAside } from '../../core/run/stalled.ts';
import { type RunState, resumesOf } from '../../core/run/state.ts';
import type { NodeStatus } from '../../core/status/status.ts';
import { attributesOf, type NodeReplacementInput, nodeReplacementId, workflowTypes } from '../messages.ts';
import { acceptedSignal, recallSignal, resumedSignal, skipSignal } from '../node-messages.ts';
import { excludeNext } from './exclude.ts';
import { becausePaused } from './monitor.ts';
import { nodeInput } from './node-input.ts';
import { apply, applyAndPublish, type Run } from './run.ts';
import { reasonOf, restoreSkipped } from './skip.ts';
import { abandonChild } from './stalled.ts';
import { problemOf } from './steps.ts';
import { awaitWindow } from './window.ts';

type Replacement = (input: NodeReplacementInput) => Promise<NodeStatus>;

/**
 * Replaces old nodes, or new ones where a run goes back, as many at a time as the guard allows; returns when each has been replaced. It returns earlier when no node
 * could be excluded, none was in progress, and the run stalled and was resumed: the pods of the remaining nodes may now be surged. Once `isOver`
 * holds, it excludes no other node, and returns when none is in progress.
 */
export async function replaceNodes(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
  direction: Direction,
  isOver: () => boolean = () => false,
): Promise<void> {
  await replaceReachable(run, plan, nodes, direction, { isLeft: () => false, isOver });
}

/** The same, but does not wait for stalled nodes that do not stop others: they stay in progress. */
export async function replaceOthers(run: Run, plan: PoolPlan, nodes: readonly NodeRef[]): Promise<void> {
  await replaceReachable(run, plan, nodes, 'forward', {
    isLeft: (node) => isSetAside(run.state, node),
    isOver: () => false,
  });
}

async function replaceReachable(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
  direction: Direction,
  { isLeft, isOver }: { readonly isLeft: (node: NodeRef) => boolean; readonly isOver: () => boolean },
): Promise<void> {
  apply(run, { type: 'trackNodes', nodes });
  for (;;) {
    await restoreSkipped(run);
    const waiting = isOver() ? [] : pendingOf(run.state, nodes);
    if (waiting.length > 0) {
      const excluded = await excludeNext(run, plan, nodes);
      if (excluded === 'window-closed') await awaitWindow(run, plan, 'batch');
      else if (excluded !== 'resumed') for (const one of excluded) startReplacement(run, plan, direction, one);
      else if (Object.keys(run.state.inProgress).length === 0) return;
      continue;
    }
    const left = leftOf(run.state, nodes);
    const isIdle = () => isOver() && Object.keys(run.state.inProgress).length === 0;
    if (left.every(isLeft) || isIdle()) return;
    await condition(() => (isOver() ? isIdle() : haveMoved(run.state, left) || left.every(isLeft)));
  }
}

/** Whether one of these nodes has been replaced, or is pending again. */
function haveMoved(state: RunState, nodes: readonly NodeRef[]): boolean {
  return leftOf(state, nodes).length < nodes.length || pendingOf(state, nodes).length > 0;
}

/** Starts a node's workflow. The node is in progress from now on, so that no signal from or to its workflow is lost. */
function startReplacement(run: Run, plan: PoolPlan, direction: Direction, exclusion: Exclusion): void {
  const { node } = exclusion;
  const pool = direction === 'forward' ? plan.oldPool : plan.newPool;
  const { unreadyBefore } = plan;
  const policy = withAccepted(plan.policy, acceptedDuring(run.state.status));
  const workflowId = nodeReplacementId(policy.cluster.name, pool.name, plan.run, node.name);
  apply(run, { type: 'recordUnprotected', what: Object.values(exclusion.aside ?? {}) });
  apply(run, { type: 'startNode', node, workflowId, evidence: exclusion.evidence });
  const { baselines, now, rounds, status } = run.state;
  const resumes = resumesOf(run.state, node.name);
  const { evidence = exclusion.evidence } = statusOf(run.state, node) ?? {};
  const round = rounds[node.name] ?? 1;
  const known = {
    run: plan.run,
    parent: status.workflowId,
    pool,
    direction,
    policy,
    baselines,
    round,
    resumes,
    now,
    ...(unreadyBefore && { unreadyBefore }),
  };
  const input = {
    ...nodeInput(known, { ...exclusion, evidence }),
    ...whyRestored(run.state, node),
  };
  const starting = startChild<Replacement>(workflowTypes.nodeReplacement, {
    workflowId,
    args: [input],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    staticSummary: `${node.name} of ${pool.name}`,
    typedSearchAttributes: attributesOf(policy.cluster.name, pool.name),
  });
  const scope = CancellationScope.current();
  run.handles.nodes[node.name] = {
    ended: follow(run, node, starting, scope),
    notifyResumed: async (count, options) => await (await starting).signal(resumedSignal, count, options),
    skip: async (reason) => await (await starting).signal(skipSignal, reason),
    recall: async (reason) => await (await starting).signal(recallSignal, reason),
    accept: async (service) => await (await starting).signal(acceptedSignal, service),
    isCancelled: () => scope.consideredCancelled,
  };
}

/** Why a node is restored at once that was excluded while the run decided otherwise: it was skipped, or the run was paused because of lost requests. */
function whyRestored(state: RunState, node: NodeRef): Pick<NodeReplacementInput, 'restoreBecause'> {
  const { skipped } = statusOf(state, node) ?? {};
  if (skipped !== undefined) return { restoreBecause: reasonOf(skipped) };
  const { paused } = state.status;
  if (paused === undefined || state.isRollingBack || state.monitor?.isExceeded !== true) return {};
  return { restoreBecause: becausePaused(paused.reason) };
}

/** Records how a node's workflow ended. When `scope`, in which it was started, is cancelled, the node was to be restored. */
async function follow(
  run: Run,
  node: NodeRef,
  starting: Promise<ChildWorkflowHandle<Replacement>>,
  scope: CancellationScope,
): Promise<void> {
  const resumes = resumesOf(run.state, node.name);
  const end = await endOf(starting, scope);
  const isCancelled = scope.consideredCancelled;
  if (end.kind === 'runs-already' && !isTriedAgain(run.state, node, { resumes })) abandonChild(end.workflowId);
  delete run.handles.nodes[node.name];
  applyAndPublish(run, { type: 'endNode', name: node.name, end, isCancelled, resumes, clock: Date.now() });
}

async function endOf(starting: Promise<ChildWorkflowHandle<Replacement>>, scope: CancellationScope): Promise<NodeEnd> {
  try {
    const child = await starting;
    if (scope.consideredCancelled) await cancelAgain(child);
    return { kind: 'answered', status: await child.result() };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      return { kind: 'runs-already', workflowId: error.workflowId };
    }
    return isCancellation(error) ? { kind: 'cancelled' } : { kind: 'failed', problem: problemOf(error) };
  }
}

/**
 * Cancels a child once more, after it has started. When a cancellation arrives before the start of a child, the server refuses it, because
 * it does not know the workflow yet, and the SDK does not send it again (RequestCancelExternalWorkflowExecutionFailed:
 * EXTERNAL_WORKFLOW_EXECUTION_NOT_FOUND; seen with server 1.31 and SDK 1.24).
 */
async function cancelAgain({ workflowId }: ChildWorkflowHandle<Replacement>): Promise<void> {
  try {
    await CancellationScope.nonCancellable(async () => {
      await getExternalWorkflowHandle(workflowId).cancel();
    });
  } catch {
    // It has ended.
  }
}
