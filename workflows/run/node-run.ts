import {
  condition,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { NodeStepInput } from '../../activities/node-steps.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { DeadlinePolicy } from '../../core/policy/policy.ts';
import type { Evidence, NodeStatus, NodeStep } from '../../core/status/status.ts';
import { type NodeReplacementInput, nodeParkedSignal, nodeStatusQuery, retrySignal } from '../messages.ts';
import { settle } from './steps.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** All that a node's replacement remembers while it runs. */
export interface NodeRun {
  readonly input: NodeReplacementInput;
  readonly step: NodeStepInput;
  readonly deadlines: DeadlinePolicy;
  readonly status: Mutable<NodeStatus>;
  /** Latest time (epoch ms) that a step answered with. */
  now: number;
  /** Rises with every retry that the pool asks for. */
  retries: number;
  /** Ends with that step. */
  end(step: NodeStep): NodeStatus;
}

/** Opens a node's replacement: its status, and its handlers before anything else can happen. */
export function openNode(input: NodeReplacementInput): NodeRun {
  const { run, node, pool, policy, services } = input;
  const status: Mutable<NodeStatus> = {
    node,
    step: 'waiting',
    waiting: undefined,
    evidence: input.evidence,
    workflowId: workflowInfo().workflowId,
  };
  const opened: NodeRun = {
    input,
    step: { run, node, pool, policy, services },
    deadlines: policy.waits.deadlines,
    status,
    now: input.grantedAt,
    retries: 0,
    end: (step) => {
      status.step = step;
      status.waiting = undefined;
      return status;
    },
  };
  setHandler(nodeStatusQuery, () => status);
  setHandler(retrySignal, () => {
    opened.retries += 1;
  });
  return opened;
}

/**
 * Takes one step until it is done, and keeps what it saw. A step that can't be done tells the pool, and waits until an operator has it
 * tried again; nothing is forced.
 */
export async function take<T extends { readonly evidence: readonly Evidence[] }>(
  node: NodeRun,
  name: NodeStep,
  deadlineMs: number,
  step: () => Promise<Outcome<T>>,
): Promise<Done<T>> {
  const { status, input } = node;
  for (;;) {
    delete status.problem;
    status.step = name;
    status.waiting = { on: name.replaceAll('-', ' '), since: node.now, until: node.now + deadlineMs };
    show(node);
    const outcome = await settle(step);
    if (outcome.outcome === 'done') {
      node.now = Math.max(node.now, outcome.at);
      keep(node, outcome.evidence);
      status.waiting = undefined;
      return outcome;
    }
    const { retries } = node;
    status.step = 'needs-attention';
    status.problem = outcome.problem;
    status.waiting = {
      on: `an operator: ${name.replaceAll('-', ' ')}`,
      since: node.now,
      until: undefined,
      unblockedBy: 'resume',
    };
    show(node);
    await getExternalWorkflowHandle(input.parent).signal(nodeParkedSignal, {
      node: input.node.name,
      step: name,
      problem: outcome.problem,
    });
    await condition(() => node.retries > retries);
  }
}

/** Adds to what has been seen of the node. */
export function keep({ status }: NodeRun, evidence: readonly Evidence[]): void {
  status.evidence = [...status.evidence, ...evidence];
}

function show({ status }: NodeRun): void {
  const { waiting, problem } = status;
  const lines = [`**${status.node.name}** (${status.node.instanceId}, ${status.node.zone}): ${status.step}`];
  if (waiting !== undefined) lines.push(`Waits for ${waiting.on} since ${new Date(waiting.since).toISOString()}`);
  if (problem !== undefined) lines.push(`${problem.code}: ${problem.message}`, problem.hint ?? '');
  lines.push(...status.evidence.map((one) => `- ${new Date(one.at).toISOString()} ${one.kind}: ${one.detail}`));
  setCurrentDetails(lines.join('\n\n'));
}
