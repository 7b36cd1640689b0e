import { CancellationScope } from '@temporalio/workflow';

/** Sends a signal to another workflow, in a cancelled run too. One that has ended meanwhile does not need it. */
export function tell(send: () => Promise<void>): void {
  CancellationScope.nonCancellable(send).catch(() => undefined);
}
