import { activityInfo } from '@temporalio/activity';

/** What a step waits for, and which step it is. */
export interface ReportedWait {
  readonly step: string;
  readonly workflowId: string;
  /** What it waits for, as text. */
  readonly waitsFor: string;
  /** What was observed last, and why that is not enough. */
  readonly reason: string;
}

/** Is called with waits. */
export type WaitListener = (wait: ReportedWait) => void;

/** Minimum time between two reports of one wait, ms: reasons change with every poll ("3 of 12 are Ready"). */
const reportAgainAfterMs = 30_000;

let listener: WaitListener | undefined;

/** Reports the waits of all steps of this process to `to`: a worker writes them into its log. */
export function listenToWaits(to: WaitListener | undefined): void {
  listener = to;
}

/**
 * Reports the waits of one step: at once when it begins to wait, then when the reason changes, but at most every half minute.
 *
 * @param waitsFor what it waits for, as text.
 * @returns to be called after each poll that did not end the wait; `now` in epoch ms.
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
