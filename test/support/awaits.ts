import type { Sinks } from '@temporalio/workflow';

/** What one run of a workflow waits for, as it stands at the end of an activation. The test's bundle tells it after each. */
export interface Awaits {
  /** It has returned or thrown: nothing more comes of it. */
  readonly ended: boolean;
  /** It has heard that it is cancelled. */
  readonly cancelled: boolean;
  /** Activities that it has asked for and that are not settled for it, by activity ID. */
  readonly activities: readonly { readonly id: string; readonly cancelled: boolean }[];
  /** Child workflows that it has asked for and that have not ended for it. */
  readonly children: readonly {
    readonly workflowId: string;
    readonly started: boolean;
    readonly cancelled: boolean;
  }[];
  /** Signals that it has sent, but for those that could not be delivered. `to` is the workflow ID of the receiver. */
  readonly sent: readonly { readonly id: string; readonly to: string; readonly delivered: boolean }[];
  /** IDs of all signals that it has handled. */
  readonly handled: readonly string[];
}

/** Header in which a signal carries its ID. */
export const signalIdHeader = 'signal-id';

/** The way from the workflows to the virtual clock. */
export interface AwaitsSinks extends Sinks {
  readonly clock: { awaits(awaits: Awaits): void };
}
