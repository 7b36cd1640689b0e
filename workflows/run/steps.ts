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
import { isProblemCode, type Problem } from '../../core/model/problem.ts';
import { longQueue, type longWaits } from '../messages.ts';

/**
 * The activities, with a summary for the timeline of the Temporal UI. Each waits, retries and keeps its deadline by itself. So the timeouts
 * here only detect lost workers: a missed heartbeat starts the next attempt, which continues from the heartbeat details of the last one.
 */
export function steps(summary: string): Activities {
  return proxyActivities<Activities>(optionsOf(summary));
}

/** The activities that may last as long as a run, in their own slots. */
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
      // Only a lost worker uses up an attempt. Errors of a step itself end it (`pollUntil`), and so does its deadline.
    },
    // The result of a cancelled step is still needed: the last traffic counts, the pods that it released.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: summary.slice(0, 100),
  };
}

/**
 * Runs a step and turns every failure except a cancellation into a problem with a code. A step that failed just as it was cancelled counts
 * as cancelled: no operator is needed for a step that is no longer wanted.
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

/** The problem inside a failure; a failure without one becomes Internal. */
export function problemOf(error: unknown): Problem {
  const failure = rootFailure(error);
  const detail: unknown = failure?.details?.[0];
  if (isProblem(detail)) return detail;
  const code = failure?.type;
  if (isProblemCode(code)) return { code, message: failure?.message ?? code };
  const message =
    error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
  return { code: 'Internal', message, hint: 'Resume to retry the step. The log of the worker has details.' };
}

/** The only kind of error that workflow code throws. */
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
