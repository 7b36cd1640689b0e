import { log } from '@temporalio/activity';

/** Reasons change with every observation ("3 of 12 are Ready"). The log needs one in half a minute. */
const reportAgainAfterMs = 30_000;

/**
 * Logs what one step waits for: at once when it begins to wait, then when the reason changes, but not more often than every half minute.
 * The SDK adds whose step it is.
 *
 * @param waitsFor what it waits for, as a person would say it.
 * @returns to be called after each observation that did not end the wait; `now` in epoch ms.
 */
export function openWaitReporting(waitsFor: string): (reason: string, now: number) => void {
  let logged: { readonly reason: string; readonly at: number } | undefined;
  return (reason, now) => {
    if (logged?.reason === reason) return;
    if (logged !== undefined && now - logged.at < reportAgainAfterMs) return;
    logged = { reason, at: now };
    log.info(`waits for ${waitsFor}: ${reason}`, { waitsFor, reason });
  };
}
