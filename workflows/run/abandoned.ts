/** A node whose run has ended before it: how it finds out, and how it continues without an operator. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { Problem } from '../../core/model/problem.ts';
import type { NodeStep } from '../../core/steps/node-steps.ts';
import { nodeRestoredSignal, nodeStalledSignal, type SkipAnswer, skipAnsweredSignal } from '../node-messages.ts';
import type { NodeRun } from './running-node.ts';
import { failWith, waits } from './steps.ts';
import { tell } from './tell.ts';

/** Signals the run that the node is stalled; false when the run is gone. */
export async function notifyStalled(node: NodeRun, step: NodeStep, problem: Problem): Promise<boolean> {
  const { workflowId } = workflowInfo();
  const stalled = { node: node.input.node.name, workflowId, step, problem, resumes: node.state.resumes };
  return await isDelivered(getExternalWorkflowHandle(node.input.parent).signal(nodeStalledSignal, stalled));
}

/** Signals the run that the node was restored; false when the run is gone. */
export async function notifyRestored({ input }: NodeRun): Promise<boolean> {
  return await isDelivered(getExternalWorkflowHandle(input.parent).signal(nodeRestoredSignal, input.node.name));
}

/** Tells the run whether the node is skipped. A run that has ended does not need to know. */
export function notifySkip({ input }: NodeRun, answer: SkipAnswer): void {
  tell(async () => await getExternalWorkflowHandle(input.parent).signal(skipAnsweredSignal, answer));
}

/** False when the workflow has ended: one that was terminated, timed out or deleted refuses signals (ExternalWorkflowExecutionNotFound). */
async function isDelivered(signal: Promise<void>): Promise<boolean> {
  try {
    await signal;
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

/** Waits until `hasHelp` holds, for at most `durationMs`. */
export async function waitForResume(durationMs: number, hasHelp: () => boolean): Promise<void> {
  const pause = new CancellationScope();
  let over = false;
  const sleeping = pause.run(async () => await waits('pause before the next attempt').sleepFor({ durationMs }));
  const slept = sleeping
    .catch(() => undefined)
    .finally(() => {
      over = true;
    });
  await condition(() => over || hasHelp());
  pause.cancel();
  await slept;
}

/** @throws ApplicationFailure RollbackIncomplete, after so many failed attempts that an operator is needed */
export function failAbandoned({ input, state: { status } }: NodeRun, attempts: number, problem: Problem): never {
  const { cluster, pool } = input.policy;
  throw failWith(
    {
      code: 'RollbackIncomplete',
      message: `${input.node.name} is left as it is, because its run ${input.run} is gone and ${attempts} attempts failed: ${problem.message}`,
      hint: `Fix that. List the leftovers with: nodeferry cleanup ${cluster.name}/${pool.name}. Add --yes to remove them.`,
    },
    status,
  );
}
