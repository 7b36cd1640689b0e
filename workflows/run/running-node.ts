import type { CancellationScope } from '@temporalio/workflow';
import type { DeadlinePolicy } from '../../core/policy/policy.ts';
import type { NodeState } from '../../core/run/node-state.ts';
import type { NodeReplacementInput } from '../messages.ts';

/** A node's replacement while it runs: its input, its state, and its cancellation scope. */
export interface NodeRun {
  readonly input: NodeReplacementInput;
  readonly deadlines: DeadlinePolicy;
  /** Changed only by `applyTo`. */
  state: NodeState;
  /** Scope of the steps that replace the node; cancelled when the node is to be restored. */
  readonly forward: CancellationScope;
  /** Whether the workflow was cancelled: by its run, by the end of its run, or by an operator. */
  isCancelled(): boolean;
}
