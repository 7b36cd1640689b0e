import { CancellationScope, CancelledFailure, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { NodeStepInput, NodeStepResult } from '../../activities/node-steps.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { RemovedSince } from '../../core/eviction/actions.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { DeadlinePolicy } from '../../core/policy/policy.ts';
import { addExternalChanges } from '../../core/status/external-changes.ts';
import type { NodeStatus, NodeStep } from '../../core/status/status.ts';
import {
  abandonedSignal,
  type NodeReplacementInput,
  nodeStatusQuery,
  recallSignal,
  resumedSignal,
} from '../messages.ts';
import { failAbandoned, notifyStalled, waitForResume } from './abandoned.ts';
import { toOutcome } from './steps.ts';
import { waitForResumeOrReachable } from './unreachable.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** All that a node's replacement remembers while it runs. */
export interface NodeRun {
  readonly input: NodeReplacementInput;
  readonly deadlines: DeadlinePolicy;
  readonly status: Mutable<NodeStatus>;
  /** What brings the node out; cancelled when it shall come back in. */
  readonly forward: CancellationScope;
  /** Latest time (epoch ms) that a step answered with. */
  now: number;
  /** Epoch ms since when it has been seen out of its load balancers; undefined before. */
  deregisteredAt: number | undefined;
  /** Its connections have ended since. */
  drained: boolean;
  /** Since when (epoch ms) pods that stay with it have been out of their endpoints, by UID. */
  removedAt: RemovedSince;
  /** How many resumes of the run the node has heard of. */
  resumes: number;
  /** The run was aborted while the node was on its way out. */
  isAborted: boolean;
  /** Nobody hears any more what the node tells: its run was terminated or timed out, or reset and has forgotten it. */
  isAbandoned: boolean;
  /** The step that it takes, parked in it or not. */
  current: NodeStep;
  stepsTaken: number;
  /** Its workflow was cancelled: by its run, by the end of its run, or by somebody. */
  isCancelled(): boolean;
  /** Ends with that step. */
  end(step: NodeStep): NodeStatus;
}

/** Steps in which no pod has been told to leave yet. */
const recallable: readonly NodeStep[] = ['pending', 'deregistering', 'draining-connections'];

/** Opens a node's replacement: its status, and its handlers before anything else can happen. */
export function openNode(input: NodeReplacementInput): NodeRun {
  const status: Mutable<NodeStatus> = {
    node: input.node,
    step: 'pending',
    waiting: undefined,
    evidence: input.evidence,
    workflowId: workflowInfo().workflowId,
  };
  const root = CancellationScope.current();
  const opened: NodeRun = {
    input,
    deadlines: input.policy.waits.deadlines,
    status,
    forward: new CancellationScope(),
    now: input.excludedAt,
    deregisteredAt: undefined,
    drained: false,
    removedAt: {},
    resumes: input.resumes,
    isAborted: false,
    isAbandoned: false,
    current: 'pending',
    stepsTaken: 0,
    isCancelled: () => root.consideredCancelled,
    end: (step) => {
      status.step = step;
      status.waiting = undefined;
      publishDetails(opened);
      return status;
    },
  };
  setHandler(nodeStatusQuery, () => status);
  setHandler(resumedSignal, (resumes, { isAborted }) => {
    opened.resumes = Math.max(opened.resumes, resumes);
    opened.isAborted ||= isAborted;
  });
  setHandler(recallSignal, (reason) => {
    if (recallable.includes(opened.current)) recall(opened, reason);
  });
  setHandler(abandonedSignal, () => abandon(opened));
  return opened;
}

/** Nobody will resume it: from here on it comes back in by itself. */
export function abandon(node: NodeRun): void {
  node.isAbandoned = true;
  recall(node, node.status.restoredBecause ?? `its run ${node.input.run} is gone`);
}

/** From here on the node comes back in; why is told when it has. */
function recall(node: NodeRun, reason: string): void {
  node.status.restoredBecause = reason;
  node.forward.cancel();
}

/**
 * Takes one step until it is done, and keeps what it saw. A step that can't be done tells the pool, and waits until an operator has it
 * tried again; nothing is forced. A resume that came while the step ran counts: what it met may be mended, so it is tried once
 * more. A step that finds that the node should not have gone ends with the node's coming back. What comes back goes on trying by itself:
 * its run may have ended.
 * @throws ApplicationFailure RollbackIncomplete when there is nobody to ask, and trying has not helped
 */
export async function runNodeStep<T extends NodeStepResult>(
  node: NodeRun,
  name: NodeStep,
  deadlineMs: number,
  step: (input: NodeStepInput) => Promise<Outcome<T>>,
): Promise<Done<T>> {
  const { status } = node;
  for (let tries = 1; ; tries++) {
    const { resumes } = node;
    const wasWanted = !node.forward.consideredCancelled;
    delete status.problem;
    node.current = name;
    status.step = name;
    status.waiting = { for: name.replaceAll('-', ' '), since: node.now, until: node.now + deadlineMs };
    publishDetails(node);
    const outcome = await toOutcome(async () => await step(nextInput(node)));
    if (outcome.outcome === 'done') {
      node.now = Math.max(node.now, outcome.at);
      addEvidence(node, outcome);
      status.waiting = undefined;
      if (outcome.restoredBecause === undefined) return outcome;
      recall(node, outcome.restoredBecause);
      throw new CancelledFailure(outcome.restoredBecause);
    }
    if (node.resumes === resumes) await stallNode(node, name, outcome.problem);
    if (node.isAbandoned) failAbandoned(node, tries, outcome.problem);
    // An abort may make unnecessary what could not be done.
    const help = () => node.resumes > resumes || (wasWanted && node.forward.consideredCancelled);
    if (outcome.problem.code === 'NodeUnreachable') await waitForResumeOrReachable(node, help);
    else await waitForResume(tries, wasWanted, help);
  }
}

/** The input of the next step; each gets a number of its own, so that an attempt of an earlier one is known as such. */
function nextInput(node: NodeRun): NodeStepInput {
  const { run, node: ref, pool, policy, baselines, round } = node.input;
  node.stepsTaken += 1;
  return { run, node: ref, pool, policy, baselines, attempt: { round, step: node.stepsTaken } };
}

async function stallNode(node: NodeRun, step: NodeStep, problem: Problem): Promise<void> {
  const { status } = node;
  const on = `an operator: ${step.replaceAll('-', ' ')}`;
  status.step = 'stalled';
  status.problem = problem;
  const action = problem.code === 'NodeUnreachable' ? `the end of ${node.input.node.instanceId}` : 'resume';
  status.waiting = { for: on, since: node.now, until: undefined, action };
  publishDetails(node);
  if (!(await notifyStalled(node, step, problem))) abandon(node);
}

/** Adds to what has been seen of the node, and of what others did to it. */
export function addEvidence(
  { status }: NodeRun,
  { evidence, externalChanges = [], unprotected = [] }: NodeStepResult,
): void {
  status.evidence = [...status.evidence, ...evidence];
  if (externalChanges.length > 0)
    status.externalChanges = addExternalChanges(status.externalChanges ?? [], externalChanges);
  if (unprotected.length > 0) status.unprotected = [...new Set([...(status.unprotected ?? []), ...unprotected])];
}

function publishDetails({ status }: NodeRun): void {
  const { waiting, problem } = status;
  const lines = [`**${status.node.name}** (${status.node.instanceId}, ${status.node.zone}): ${status.step}`];
  if (waiting !== undefined) lines.push(`Waits for ${waiting.for} since ${new Date(waiting.since).toISOString()}`);
  if (problem !== undefined) lines.push(`${problem.code}: ${problem.message}`, problem.hint ?? '');
  lines.push(...status.evidence.map((one) => `- ${new Date(one.at).toISOString()} ${one.kind}: ${one.detail}`));
  lines.push(...(status.externalChanges ?? []).map((act) => `- ${new Date(act.at).toISOString()} ${act.what}`));
  setCurrentDetails(lines.join('\n\n'));
}
