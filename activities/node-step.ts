import type { ServiceBaseline } from '../core/guard/baseline.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence } from '../core/status/status.ts';
import type { NodeAttempt } from './fence.ts';

/** The node that a step is about, and what it needs to know of the run. */
export interface NodeStepInput {
  readonly run: string;
  readonly node: NodeRef;
  readonly pool: PoolRef;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly attempt: NodeAttempt;
}

/** What a step of a node came to. */
export interface NodeStepResult {
  readonly evidence: readonly Evidence[];
  readonly externalChanges?: readonly ExternalChange[];
  /** What could not be protected on this node, in words. */
  readonly unprotected?: readonly string[];
  /** Why the node was taken back in instead. */
  readonly restoredBecause?: string;
}
