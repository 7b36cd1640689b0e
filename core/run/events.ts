import type { ServiceBaseline } from '../guard/baseline.ts';
import type { ExternalChange } from '../model/external-change.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef, SuspensionToken } from '../model/pool.ts';
import type { PoolLock } from '../model/pool-lock.ts';
import type { Problem } from '../model/problem.ts';
import type { PoolPlan } from '../plan/pool-plan.ts';
import type { WindowStatus } from '../schedule/window-status.ts';
import type { Outlook } from '../status/outlook.ts';
import type { ApprovalRequest, Evidence, NodeStatus, RunReport, Waiting } from '../status/status.ts';
import type { TrafficCounts } from '../status/traffic-counts.ts';
import type { NodeStep } from '../steps/node-steps.ts';
import type { PoolPhase } from '../steps/pool-phases.ts';
import type { RollbackEntry } from './state.ts';

/** The phase of a run and its time. `at` is a time that a step returned, `clock` is the workflow's own; epoch ms. */
type PhaseEvent =
  | { readonly type: 'setPhase'; readonly phase: PoolPhase }
  | { readonly type: 'setWaiting'; readonly waiting: Omit<Waiting, 'since'> | undefined }
  | { readonly type: 'recordTime'; readonly at: number; readonly clock: number }
  /** A step of the pool is about to start. */
  | { readonly type: 'advanceSequence'; readonly clock: number }
  /** Preflight is over; `since` is when it began. */
  | {
      readonly type: 'recordPlan';
      readonly plan: PoolPlan;
      readonly since: number;
      readonly at: number;
      readonly clock: number;
    }
  | { readonly type: 'recordLock'; readonly lock: PoolLock }
  | { readonly type: 'recordWindow'; readonly window: WindowStatus }
  | (ApprovalRequest & { readonly type: 'requestApproval' })
  /** Nothing is left to do except to measure traffic for a while. */
  | { readonly type: 'setIdle' }
  | {
      readonly type: 'finishRun';
      readonly outcome: RunReport['outcome'];
      readonly at: number;
      readonly problem: Problem | undefined;
    };

/** Who requests something, why, and when (epoch ms). */
export interface Asked {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** Requests of operators; a run pauses itself in the same way. */
type OperatorEvent =
  | (Asked & { readonly type: 'pause' })
  | (Asked & { readonly type: 'resume' })
  /** The stalled step of this node, by name, is retried. */
  | (Asked & { readonly type: 'retry'; readonly node: string })
  /** This node, by name, is not replaced by this run. */
  | (Asked & { readonly type: 'skip'; readonly node: string })
  | (Asked & { readonly type: 'abort' })
  | (Asked & { readonly type: 'rollback' })
  | (Asked & { readonly type: 'approve' })
  | (Asked & { readonly type: 'reject' })
  /** From now on at most so many nodes may be in progress at the same time. */
  | (Asked & { readonly type: 'set-concurrency'; readonly maxInFlight: number })
  /** This Service, `namespace/name`, may lose connections from now on. */
  | (Asked & { readonly type: 'accept-unprotected'; readonly service: string })
  /** From now on the run continues outside of its upgrade windows. */
  | (Asked & { readonly type: 'override-window' })
  | { readonly type: 'withdraw'; readonly updateId: string };

/** Changes that must be rolled back, and that were rolled back. */
type RollbackEvent =
  | { readonly type: 'pushRollback'; readonly entry: RollbackEntry }
  /** Drops all entries of a kind: their changes are meant to stay, or were never made. */
  | { readonly type: 'dropRollback'; readonly kind: RollbackEntry['kind'] }
  /** The newest entry: it has been rolled back. */
  | { readonly type: 'popRollback' }
  /** The scaling settings that were suspended on a pool. */
  | { readonly type: 'recordSuspended'; readonly pool: PoolRef; readonly suspended: SuspensionToken }
  /** From now on the run rolls back. */
  | { readonly type: 'beginRollback' };

/** How the workflow of a node ended. */
export type NodeEnd =
  | { readonly kind: 'answered'; readonly status: NodeStatus }
  | { readonly kind: 'cancelled' }
  /** It did not start: another workflow has its ID. */
  | { readonly kind: 'runs-already'; readonly workflowId: string }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** What happens to nodes. */
type NodeEvent =
  | { readonly type: 'trackNodes'; readonly nodes: readonly NodeRef[] }
  | {
      readonly type: 'startNode';
      readonly node: NodeRef;
      readonly workflowId: string;
      readonly evidence: readonly Evidence[];
    }
  | { readonly type: 'setEvidence'; readonly name: string; readonly evidence: readonly Evidence[] }
  /** Skipped nodes are not cordoned any more. */
  | { readonly type: 'recordUncordoned'; readonly nodes: readonly NodeRef[] }
  /** Its workflow reports that the node was restored. */
  | { readonly type: 'restoreNode'; readonly name: string }
  | {
      readonly type: 'endNode';
      readonly name: string;
      readonly end: NodeEnd;
      /** The run has cancelled it: the node was to be restored. */
      readonly isCancelled: boolean;
      /** How often the node was to be retried by the time it started, as `resumesOf` counts. */
      readonly resumes: number;
      readonly clock: number;
    };

/** What needs an operator, and what no longer does. */
type StallEvent =
  /** The run itself can't continue. */
  | { readonly type: 'stall'; readonly problem: Problem }
  /** This problem of the run itself does not matter any more. */
  | { readonly type: 'endStall'; readonly problem: Problem }
  | {
      readonly type: 'markStalled';
      readonly name: string;
      /** The step that failed. */
      readonly step: NodeStep;
      readonly problem: Problem;
      /** How many of these retries the node knew of. */
      readonly resumes: number;
      /** The run has cancelled it: it is restored without an operator. */
      readonly isCancelled: boolean;
    }
  /** A stalled node continues without an operator: what it waited for has happened. */
  | { readonly type: 'clearStalled'; readonly name: string };

/** What becomes of the old pool in a rollback. */
type OldPoolEvent =
  /** So many additional instances of it were requested. */
  | { readonly type: 'requestOldNodes'; readonly instances: number }
  /** It has its size again: these nodes have come, and serve. */
  | { readonly type: 'restoreOldPool'; readonly nodes: readonly NodeRef[] };

/** New nodes, and the capacity that Services have. */
type CapacityEvent =
  /** The new pool was asked to have `size` instances. */
  | { readonly type: 'requestSize'; readonly size: number }
  | { readonly type: 'recordNewNodes'; readonly nodes: readonly NodeRef[]; readonly areRegistered: boolean }
  | { readonly type: 'recordBaselines'; readonly baselines: readonly ServiceBaseline[] }
  | { readonly type: 'setEvictedInstead'; readonly workloads: readonly string[] };

/** Facts for the report. */
type RecordEvent =
  | { readonly type: 'recordExternalChanges'; readonly changes: readonly ExternalChange[] }
  | { readonly type: 'recordUnprotected'; readonly what: readonly string[] }
  | { readonly type: 'recordRetained'; readonly what: readonly string[] };

/** Results of the monitor, which watches traffic and the lock. */
type MonitorEvent =
  | { readonly type: 'startMonitor'; readonly isMeasuring: boolean }
  | { readonly type: 'recordTraffic'; readonly counts: TrafficCounts; readonly seenAt: number; readonly clock: number }
  | { readonly type: 'recordOutlook'; readonly outlook: Outlook }
  /** The run still owned the lock when it had been resumed `resumes` times. */
  | { readonly type: 'confirmLock'; readonly resumes: number }
  /** Requests lost before the last resume no longer count against the budget. */
  | { readonly type: 'acceptLosses' }
  /** More requests than the budget were lost; `reason` says by which probe, and why the run can be the cause. */
  | { readonly type: 'exceedBudget'; readonly reason: string; readonly at: number }
  | { readonly type: 'stopMonitor' };

/** Everything that can happen to a run. */
export type RunEvent =
  | PhaseEvent
  | OperatorEvent
  | RollbackEvent
  | NodeEvent
  | StallEvent
  | OldPoolEvent
  | CapacityEvent
  | RecordEvent
  | MonitorEvent;

/** One of the events, by its type. */
export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;
