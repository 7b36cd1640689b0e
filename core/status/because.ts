import type { OperatorAction } from './status.ts';

/** Who did something and, where they said it, why. */
export function because({ by, reason }: { readonly by: string; readonly reason: string }): string {
  return reason === '' ? by : `${by}: ${reason}`;
}

/** What an operator did, with who and why: `approve (canary) by ann: all is well`. */
export function explainAction(action: OperatorAction): string {
  const of = action.of === undefined ? '' : ` (${action.of})`;
  return `${action.action}${of} by ${because(action)}`;
}
