import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import { type Problem, type ProblemCode, problemCodes } from '../../core/model/problem.ts';
import { longQueue, type longWaits } from '../messages.ts';

/**
 * The steps, labelled for the timeline. Each waits and retries by itself and keeps its own deadline, so the timeouts here only find
 * lost workers: a missed heartbeat starts the next attempt, which goes on from the last one's details.
 */
export function steps(summary: string): Activities {
  return proxyActivities<Activities>(optionsOf(summary));
}

/** The steps that last as long as a run does, in slots of their own. */
export function waits(summary: string): Pick<Activities, (typeof longWaits)[number]> {
  return proxyActivities<Activities>({ ...optionsOf(summary), taskQueue: longQueue(workflowInfo().taskQueue) });
}

function optionsOf(summary: string): ActivityOptions {
  return {
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: '15 seconds',
    retry: {
      initialInterval: '200 milliseconds',
      backoffCoefficient: 2,
      maximumInterval: '20 seconds',
      // Each death of a worker costs one. What is wrong with a step itself ends it (`pollUntil`), and so does its deadline.
    },
    // What a cancelled step still answers counts: the last traffic counts, the pods it let go.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: summary.slice(0, 100),
  };
}

/**
 * Runs a step and turns every failure but cancellation into a named problem. A step that failed just as it was cancelled counts as
 * cancelled: nobody is to be called for what is not wanted any more.
 */
export async function toOutcome<T>(
  step: () => Promise<Outcome<T>>,
): Promise<Done<T> | { outcome: 'failed'; problem: Problem }> {
  const outcome = await stepOrProblem(step);
  if (outcome.outcome !== 'done' && CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure(`cancelled: ${outcome.problem.message}`);
  }
  return outcome;
}

async function stepOrProblem<T>(
  step: () => Promise<Outcome<T>>,
): Promise<Done<T> | { outcome: 'failed'; problem: Problem }> {
  try {
    return await step();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { outcome: 'failed', problem: problemOf(error) };
  }
}

/** The problem inside a failure; a failure without one is told as Internal. */
export function problemOf(error: unknown): Problem {
  const failure = rootFailure(error);
  const detail: unknown = failure?.details?.[0];
  if (isProblem(detail)) return detail;
  const code = failure?.type;
  if (isProblemCode(code)) return { code, message: failure?.message ?? code };
  const message =
    error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
  return { code: 'Internal', message, hint: 'Resume to try the step again; the worker’s log says more.' };
}

/** The one kind of error that leaves workflow code. */
export function failWith(problem: Problem, report?: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    message: problem.message,
    type: problem.code,
    nonRetryable: true,
    details: report === undefined ? [problem] : [problem, report],
  });
}

function rootFailure(error: unknown): ApplicationFailure | undefined {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ActivityFailure || error instanceof ChildWorkflowFailure) return rootFailure(error.cause);
  return undefined;
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' && value !== null && 'code' in value && 'message' in value && isProblemCode(value.code)
  );
}

function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(problemCodes, value);
}
