import { activityInfo } from '@temporalio/activity';

/** What a step waits for, and whose step it is. */
export interface ReportedWait {
  readonly step: string;
  readonly workflowId: string;
  /** What it waits for, as a person would say it. */
  readonly waitsFor: string;
  /** What was seen last, and why that is not enough. */
  readonly reason: string;
}

/** Hears of waits. */
export type WaitListener = (wait: ReportedWait) => void;

/** Reasons change with every look ("3 of 12 are Ready"); of those a log needs one in half a minute. */
const reportAgainAfterMs = 30_000;

let listener: WaitListener | undefined;

/** Has the waits of all steps of this process told to `to`: a worker writes them into its log. */
export function listenToWaits(to: WaitListener | undefined): void {
  listener = to;
}

/**
 * Tells the waits of one step: at once when it begins to wait, then when the reason changes, but not more often than every half minute.
 *
 * @param waitsFor what it waits for, as a person would say it.
 * @returns to be called after each look that did not end the wait; `now` in epoch ms.
 */
export function openWaitReporting(waitsFor: string): (reason: string, now: number) => void {
  let told: { readonly reason: string; readonly at: number } | undefined;
  return (reason, now) => {
    if (listener === undefined || told?.reason === reason) return;
    if (told !== undefined && now - told.at < reportAgainAfterMs) return;
    told = { reason, at: now };
    const { activityType, workflowExecution } = activityInfo();
    listener({ step: activityType, workflowId: workflowExecution?.workflowId ?? '', waitsFor, reason });
  };
}
