import type { CancellationScope } from '@temporalio/workflow';
import type { DeadlinePolicy } from '../../core/policy/policy.ts';
import type { NodeState } from '../../core/run/node-state.ts';
import type { NodeReplacementInput } from '../messages.ts';

/** A node's replacement while it runs: what it was asked for, what it knows, and what it holds. */
export interface NodeRun {
  readonly input: NodeReplacementInput;
  readonly deadlines: DeadlinePolicy;
  /** Only `applyTo` sets another one. */
  state: NodeState;
  /** What brings the node out; cancelled when it shall come back in. */
  readonly forward: CancellationScope;
  /** Its workflow was cancelled: by its run, by the end of its run, or by somebody. */
  isCancelled(): boolean;
}
