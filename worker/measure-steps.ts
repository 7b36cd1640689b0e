import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { adjust, count, record } from '../activities/metrics.ts';
import { type ProblemCode, problemCodes } from '../core/model/problem.ts';
import { stepLists } from '../core/steps/steps.ts';

const phaseByActivity = new Map(stepLists.phases.map(({ activity, id }) => [activity, id]));
const nodeStepByActivity = new Map(stepLists.steps.map(({ activity, id }) => [activity, id]));

/**
 * Measures every activity that does a step: how many nodes are in it, how long it takes, and whether it stalls.
 *
 * Nodes are counted up as an attempt begins and down as it ends. That is right with several workers: an attempt runs on one of them, so the
 * sum over all workers is the number of nodes. It is right after a restart: the count of a worker that died is gone with it, and the worker
 * that takes the attempt over counts the node anew. A gauge that workflow code or the monitor sets would keep its last value on the worker
 * that the run has left. While the server waits for the heartbeat of a lost worker to time out, its nodes are missing.
 *
 * Steps are timed from when the server first scheduled them, so that the time of attempts that died counts too.
 */
export function measureSteps(context: Context): ActivityInterceptors {
  const { activityType, scheduledTimestampMs } = context.info;
  const nodeStep = nodeStepByActivity.get(activityType);
  const step = nodeStep ?? phaseByActivity.get(activityType);
  if (step === undefined) return {};

  /** The step is over, not only this attempt: done, or failed with a problem. */
  const settle = (problem: ProblemCode | undefined): void => {
    // Nobody waits for a step that failed as it was cancelled.
    if (problem !== undefined && context.cancellationDetails?.cancelRequested === true) return;
    // The server's clock may be ahead of this one.
    const seconds = Math.max(0, Date.now() - scheduledTimestampMs) / 1_000;
    record('nodeferry_step_wait', { step, outcome: problem === undefined ? 'done' : 'failed' }, seconds);
    if (problem !== undefined) count('nodeferry_steps_stalled', { step, problem });
  };

  return {
    inbound: {
      execute: async (input, next) => {
        const nodes = nodeStep === undefined ? undefined : nodesOf(input.args[0], nodeStep);
        if (nodes !== undefined) adjust('nodeferry_nodes', { step: nodes.step }, nodes.count);
        try {
          const result = await next(input);
          settle(problemOf(result));
          return result;
        } catch (error) {
          // Every other error makes Temporal try again, or is a cancellation.
          if (error instanceof ApplicationFailure && error.nonRetryable === true) settle(codeOf(error.type));
          throw error;
        } finally {
          if (nodes !== undefined) adjust('nodeferry_nodes', { step: nodes.step }, -nodes.count);
        }
      },
    },
  };
}

/** The nodes that an activity is about, and the step that they are in meanwhile; undefined when it is not about single nodes. */
function nodesOf(input: unknown, step: string): { readonly step: string; readonly count: number } | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // Which of them will be excluded is what the step decides: until then they are pending.
  if ('waiting' in input && Array.isArray(input.waiting)) return { step: 'pending', count: input.waiting.length };
  return 'node' in input ? { step, count: 1 } : undefined;
}

/** The problem of a step that gave up; undefined when it is done. */
function problemOf(result: unknown): ProblemCode | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  if (!('outcome' in result && result.outcome === 'failed' && 'problem' in result)) return undefined;
  const { problem } = result;
  return codeOf(typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : undefined);
}

/** One of the known codes, so that a tag never has any other value. */
function codeOf(code: unknown): ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : 'Internal';
}
