import { CancellationScope, CancelledFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { NodeStepInput, NodeStepResult } from '../../activities/node-step.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { Problem } from '../../core/model/problem.ts';
import { withAccepted } from '../../core/run/accepted-services.ts';
import {
  isRecallable,
  isReversible,
  type NodeStateEvent,
  openNodeState,
  reduceNode,
} from '../../core/run/node-state.ts';
import { onFailure } from '../../core/run/on-failure.ts';
import { renderNodeDetails } from '../../core/status/render-details.ts';
import type { NodeStatus } from '../../core/status/status.ts';
import type { NodeStep } from '../../core/steps/node-steps.ts';
import { type ActivityOf, deadlineMsOf, stepOf, type TakenStep } from '../../core/steps/steps.ts';
import { type NodeReplacementInput } from '../messages.ts';
import {
  abandonedSignal,
  acceptedSignal,
  nodeStatusQuery,
  recallSignal,
  resumedSignal,
  skipSignal,
} from '../node-messages.ts';
import { failAbandoned, notifySkip, notifyStalled, waitForResume } from './abandoned.ts';
import { showDetails } from './details.ts';
import type { NodeRun } from './running-node.ts';
import { steps, toOutcome } from './steps.ts';
import { waitForResumeOrReachable } from './unreachable.ts';

/** Opens a node's replacement: its state, and its handlers before anything else can happen. */
export function openNode(input: NodeReplacementInput): NodeRun {
  const { node, evidence, policy } = input;
  const { workflowId } = workflowInfo();
  const root = CancellationScope.current();
  const opened: NodeRun = {
    input,
    deadlines: policy.waits.deadlines,
    state: openNodeState({ node, evidence, workflowId }, input),
    forward: new CancellationScope(),
    isCancelled: () => root.consideredCancelled,
  };
  setHandler(nodeStatusQuery, () => opened.state.status);
  setHandler(resumedSignal, (resumes, { isAborted }) => applyTo(opened, { type: 'resume', resumes, isAborted }));
  setHandler(recallSignal, (reason) => {
    if (isRecallable(opened.state)) recall(opened, reason);
  });
  setHandler(skipSignal, (reason) => answerSkip(opened, reason));
  setHandler(acceptedSignal, (service) => applyTo(opened, { type: 'accept', service }));
  setHandler(abandonedSignal, () => abandon(opened));
  showDetails(() => renderNodeDetails(opened.state.status));
  if (input.restoreBecause !== undefined) recall(opened, input.restoreBecause);
  return opened;
}

/** Restores the node unless it is too late, and tells the run which of both. */
function answerSkip(node: NodeRun, reason: string): void {
  const { name, instanceId } = node.input.node;
  const isTaken = isReversible(node.state);
  if (isTaken) recall(node, reason);
  notifySkip(node, isTaken ? { node: name } : { node: name, refusedBecause: `${instanceId} is being terminated` });
}

/** Applies an event to a node's replacement. Only this changes its state. */
export function applyTo(node: NodeRun, event: NodeStateEvent): void {
  node.state = reduceNode(node.state, event);
}

/** Ends the replacement in this step. */
export function endWith(node: NodeRun, step: NodeStep): NodeStatus {
  applyTo(node, { type: 'end', step });
  return node.state.status;
}

/** The run is gone and nobody will resume this node: it is restored by itself. */
export function abandon(node: NodeRun): void {
  applyTo(node, { type: 'abandon' });
  recall(node, node.state.status.restoredBecause ?? `its run ${node.input.run} is gone`);
}

/** From now on the node is being restored; the reason is part of its status. */
function recall(node: NodeRun, reason: string): void {
  applyTo(node, { type: 'recall', reason });
  node.forward.cancel();
}

/**
 * Runs one step until it is done, and records what it observed. `limitMs` is its deadline, by default that of the policy. A step that
 * fails stalls the node; `onFailure` decides what comes next. When a step finds that the node should not have been excluded, the node is
 * restored.
 * @throws ApplicationFailure RollbackIncomplete when the run is gone and no attempt has succeeded
 */
export async function runNodeStep<Step extends TakenStep, T extends NodeStepResult>(
  node: NodeRun,
  name: Step,
  step: (activities: Pick<Activities, ActivityOf<Step>>, input: NodeStepInput) => Promise<Outcome<T>>,
  limitMs = deadlineMsOf(name, node.deadlines),
): Promise<Done<T>> {
  for (let tries = 1; ; tries++) {
    const { resumes } = node.state;
    const isOutgoing = !node.forward.consideredCancelled;
    applyTo(node, { type: 'beginStep', step: name, limitMs });
    const activities = steps(`${node.input.node.name}: ${stepOf(name).summary}`);
    const outcome = await toOutcome(async () => await step(activities, nextInput(node)));
    if (outcome.outcome === 'done') {
      applyTo(node, { type: 'finishStep', at: outcome.at, seen: outcome });
      if (outcome.restoredBecause === undefined) return outcome;
      recall(node, outcome.restoredBecause);
      throw new CancelledFailure(outcome.restoredBecause);
    }
    if (node.state.resumes === resumes) await stallNode(node, name, outcome.problem);
    await waitForRetry(node, { problem: outcome.problem, tries, resumes, isOutgoing });
  }
}

/** A failed attempt at a step, and what was known when it began. */
interface FailedAttempt {
  readonly problem: Problem;
  readonly tries: number;
  readonly resumes: number;
  readonly isOutgoing: boolean;
}

/** Waits until the step is to be retried. */
async function waitForRetry(node: NodeRun, { problem, tries, resumes, isOutgoing }: FailedAttempt): Promise<void> {
  const isResumed = () => node.state.resumes > resumes;
  const isRecalled = () => node.forward.consideredCancelled;
  // A recall may make a step unnecessary that failed while the node was being replaced.
  const hasHelp = () => isResumed() || (isOutgoing && isRecalled());
  const known = { isResumed: isResumed(), isRecalled: isRecalled(), isAbandoned: node.state.isAbandoned };
  const after = onFailure({ code: problem.code, tries, isOutgoing, ...known });
  switch (after.next) {
    case 'retry':
      return;
    case 'await-resume':
      return await condition(hasHelp);
    case 'await-reachable':
      return await waitForResumeOrReachable(node, hasHelp);
    case 'retry-after':
      return await waitForResume(after.afterMs, hasHelp);
    case 'give-up':
      return failAbandoned(node, tries, problem);
  }
}

/** The input of the step that has begun. Each step has its own number, so that a late attempt of an earlier step is recognized. */
function nextInput({ input, state }: NodeRun): NodeStepInput {
  const { run, node, pool, direction, baselines, unreadyBefore, round } = input;
  const policy = withAccepted(input.policy, state.accepted);
  const known = { run, node, pool, direction, policy, baselines, attempt: { round, step: state.stepsTaken } };
  return unreadyBefore === undefined ? known : { ...known, unreadyBefore };
}

async function stallNode(node: NodeRun, step: NodeStep, problem: Problem): Promise<void> {
  applyTo(node, { type: 'stall', problem });
  if (!(await notifyStalled(node, step, problem))) abandon(node);
}
