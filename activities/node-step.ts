import type { UnreadyBefore } from '../core/eviction/unready-before.ts';
import type { ServiceBaseline } from '../core/guard/baseline.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { Direction } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence } from '../core/status/status.ts';
import type { NodeAttempt } from './fence.ts';

/** The node of a step, and what the step needs to know about the run. */
export interface NodeStepInput {
  readonly run: string;
  readonly node: NodeRef;
  readonly pool: PoolRef;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly attempt: NodeAttempt;
  readonly direction: Direction;
  /** Pods that were not ready when the run was planned; absent where all were. */
  readonly unreadyBefore?: UnreadyBefore;
}

/** The result of a step of a node. */
export interface NodeStepResult {
  readonly evidence: readonly Evidence[];
  readonly externalChanges?: readonly ExternalChange[];
  /** What could not be protected on this node, as text. */
  readonly unprotected?: readonly string[];
  /** Why the node was restored instead. */
  readonly restoredBecause?: string;
}
