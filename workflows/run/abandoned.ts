/** A node whose run has ended without it: how it finds out, and what it does with nobody to ask. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { Problem } from '../../core/model/problem.ts';
import type { NodeStep } from '../../core/steps/node-steps.ts';
import { nodeRestoredSignal, nodeStalledSignal } from '../messages.ts';
import type { NodeRun } from './running-node.ts';
import { failWith, waits } from './steps.ts';

/** Calls for help; false when nobody is there to hear it. */
export async function notifyStalled(node: NodeRun, step: NodeStep, problem: Problem): Promise<boolean> {
  const { workflowId } = workflowInfo();
  const stalledNodes = { node: node.input.node.name, workflowId, step, problem, resumes: node.state.resumes };
  return await isHeard(getExternalWorkflowHandle(node.input.parent).signal(nodeStalledSignal, stalledNodes));
}

/** Says that the node was put back; false when nobody is there to hear it. */
export async function notifyRestored({ input }: NodeRun): Promise<boolean> {
  return await isHeard(getExternalWorkflowHandle(input.parent).signal(nodeRestoredSignal, input.node.name));
}

/** A workflow that was terminated, timed out or deleted refuses signals: ExternalWorkflowExecutionNotFound. */
async function isHeard(signal: Promise<void>): Promise<boolean> {
  try {
    await signal;
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

/** Waits until there is `help`, but not for longer than that. */
export async function waitForResume(durationMs: number, help: () => boolean): Promise<void> {
  const pause = new CancellationScope();
  let over = false;
  const passing = pause.run(async () => await waits('pause before the next try').sleepFor({ durationMs }));
  const passed = passing
    .catch(() => undefined)
    .finally(() => {
      over = true;
    });
  await condition(() => over || help());
  pause.cancel();
  await passed;
}

/** @throws ApplicationFailure RollbackIncomplete, because trying has not helped so often that somebody has to look */
export function failAbandoned({ input, state: { status } }: NodeRun, tries: number, problem: Problem): never {
  const { cluster, pool } = input.policy;
  throw failWith(
    {
      code: 'RollbackIncomplete',
      message: `${input.node.name} is left as it is, because its run ${input.run} is gone and after ${tries} tries: ${problem.message}`,
      hint: `Fix that, then see what is left over, and remove it with --yes: nodeferry cleanup ${cluster.name}/${pool.name}`,
    },
    status,
  );
}
