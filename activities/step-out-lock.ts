import { activityInfo } from '@temporalio/activity';

/** Held by whoever lets a node go or takes one back in, for the moment between its look and its act; one for all runs of a cluster. */
export const stepOutLock = 'nodeferry-step-out';

/** Long enough for a look and a patch, ms; a worker that dies inside holds others up for no longer. */
export const heldMs = 30_000;

/** The holder: this attempt of this step, and no other of the same run. */
export function stepOutHolder(run: string): string {
  const { activityId, attempt, workflowExecution } = activityInfo();
  return `${run}/${workflowExecution?.runId ?? ''}.${activityId}.${attempt}`;
}
