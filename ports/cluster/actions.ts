import type { NodeActions } from './node-actions.ts';
import type { PodActions } from './pod-actions.ts';

/** What acts on nodes and pods. */
export interface Actions extends NodeActions, PodActions {
  /**
   * The same for an attempt that may have been superseded: `check` rejects once it has. It is asked before each request that changes something, and after
   * the read that the change is decided on: whatever a later attempt has changed since makes the request fail, and everything starts again.
   */
  guarded(check: () => Promise<void>): NodeActions & PodActions;
}
