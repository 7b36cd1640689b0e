import type { ExternalChange } from '../model/external-change.ts';
import type { NodeRef } from '../model/node.ts';
import type { Problem } from '../model/problem.ts';
import type { AcceptedRule } from '../plan/acceptance.ts';
import type { WindowStatus } from '../schedule/window-status.ts';
import type { NodeStep } from '../steps/node-steps.ts';
import type { FinalPhase, PoolPhase } from '../steps/pool-phases.ts';
import type { EvidenceKind } from '../steps/steps.ts';
import type { BlockedSince } from './blocked.ts';
import type { TrafficCounts } from './traffic-counts.ts';

/** What something waits for: always for what, since when and until when (epoch ms), and what would unblock it. */
export interface Waiting {
  readonly for: string;
  readonly since: number;
  readonly until: number | undefined;
  readonly action?: string;
  /** The wait does not end by itself: why, and what somebody has to change. */
  readonly remedy?: string;
  /** Pods that may not leave yet, each with the budget that blocks it. */
  readonly blocked?: readonly BlockedSince[];
}

/** Something that was observed (never merely commanded), and when. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** Epoch ms of the observation. */
  readonly at: number;
  /** What was observed, e.g. `k8s-web: draining (Target.DeregistrationInProgress)`. */
  readonly detail: string;
  /** Why it was done, in the figures of the guard. Only for an exclusion that the guard has just decided. */
  readonly because?: string;
}

/** Live state of one node's replacement: the answer of the child's `status` query. */
export interface NodeStatus {
  readonly node: NodeRef;
  readonly step: NodeStep;
  readonly waiting: Waiting | undefined;
  readonly evidence: readonly Evidence[];
  readonly problem?: Problem;
  /** External changes to the node meanwhile. */
  readonly externalChanges?: readonly ExternalChange[];
  /** What could not be protected on it, e.g. endpoints that somebody wrote by hand. */
  readonly unprotected?: readonly string[];
  /** Why the node was restored although the run was not rolled back; it is excluded again later. */
  readonly restoredBecause?: string;
  /** An operator has the run not replace the node: it is restored if it was in progress, and stays in its pool. */
  readonly skipped?: Decision;
  /** ID of the node's workflow, while it has one. */
  readonly workflowId?: string;
}

/** Who asked for what, when and why: the audit trail of a run. */
export interface OperatorAction {
  readonly action:
    | 'start'
    | 'pause'
    | 'resume'
    | 'retry'
    | 'skip'
    | 'abort'
    | 'rollback'
    | 'approve'
    | 'reject'
    | 'override-window'
    | 'set-concurrency'
    | 'accept-unprotected';
  /** What was approved or rejected: `start`, `canary`, `zone eu-west-1b`; the number of nodes that was set; or the node. */
  readonly of?: string;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** Live state of a run: the answer of the pool upgrade's `status` query. One model for tree, JSON, details page and report. */
export interface RunStatus {
  readonly run: string;
  readonly workflowId: string;
  readonly cluster: string;
  readonly pool: string;
  /** Empty for a drain. */
  readonly newPool: string;
  /** Set when the run drains nodes, without a pool that replaces them, and what becomes of the nodes. Absent for upgrades. */
  readonly drain?: 'keep' | 'terminate';
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly phase: PoolPhase;
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
  readonly paused: Pause | undefined;
  readonly stalled: Problem | undefined;
  /** The most nodes in progress at the same time, if an operator has changed it; otherwise the policy says. */
  readonly maxInFlight?: number;
  /** What the run waits to be approved; absent when nothing. */
  readonly approval?: ApprovalRequest;
  /** Upgrade windows, as last checked; absent without windows in the policy, and before the first check. */
  readonly window?: WindowStatus;
  /** An operator lets the run continue outside of its windows. */
  readonly windowOverride?: Decision;
  /** The run goes back to the old pool, which gets its size again; absent in a run that does not, also in an abort. */
  readonly rollback?: Rollback;
  readonly waiting: Waiting | undefined;
  readonly nodes: readonly NodeStatus[];
  readonly traffic: TrafficCounts;
  /** Number of probes in the policy. Without any, nothing is measured. */
  readonly probes: number;
  /** Protections that the policy disables: protective rules by name; timers and minimum serving set to zero, by field. */
  readonly disabledRules: readonly string[];
  readonly actions: readonly OperatorAction[];
  /** External changes that do not belong to one node. */
  readonly externalChanges: readonly ExternalChange[];
}

/** Who has decided something, why and when (epoch ms). */
interface Decision {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** Who rolled a run back, and what became of the old pool. */
interface Rollback extends Decision {
  /** Nodes that the old pool got for that; absent until they are ready. */
  readonly nodes?: readonly NodeRef[];
}

/** Who has paused a run. */
interface Pause extends Decision {
  /** Too many nodes were stalled: it ends once no more are stalled than `spec.rollout.maxFailures` allows. */
  readonly endsByItself?: true;
}

/** An approval that a run waits for. Times are epoch ms. */
export interface ApprovalRequest {
  /** What is to be approved: `start`, `canary`, `zone eu-west-1b`. */
  readonly of: string;
  readonly since: number;
  /** Undefined: it waits for any length of time. */
  readonly until: number | undefined;
  readonly onTimeout: 'stall' | 'abort';
}

/** How a run ended, with all the evidence: the result of the workflow. */
export interface RunReport extends RunStatus {
  readonly outcome: FinalPhase;
  /** From the start until nothing was left to do, ms. Probes continue for a moment after that. */
  readonly durationMs: number;
  readonly newNodes: readonly NodeRef[];
  /** Instance time beyond what the pool costs anyway, minutes; absent in reports of older versions. */
  readonly instanceMinutes?: number;
  /** What the run could not restore, or has left on purpose because restoring it would do harm. */
  readonly leftovers: readonly string[];
  /** What the plan could not protect and the operator accepted. */
  readonly unprotected: readonly string[];
  /** Rules whose findings were accepted, with the reasons; absent where none was. */
  readonly accepted?: readonly AcceptedRule[];
}
