import type { ServiceBaseline } from '../guard/baseline.ts';
import type { ExternalChange } from '../model/external-change.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef } from '../model/pool.ts';
import type { PoolLock } from '../model/pool-lock.ts';
import type { Problem } from '../model/problem.ts';
import type { PoolPlan } from '../plan/pool-plan.ts';
import type { Outlook } from '../status/outlook.ts';
import type { Evidence, NodeStatus, RunReport, Waiting } from '../status/status.ts';
import type { TrafficCounts } from '../status/traffic-counts.ts';
import type { NodeStep } from '../steps/node-steps.ts';
import type { PoolPhase } from '../steps/pool-phases.ts';
import type { RollbackEntry } from './state.ts';

/** Where a run goes, and what time it is. `at` is a time that a step answered with, `clock` the workflow's own; epoch ms. */
export type PhaseEvent =
  | { readonly type: 'setPhase'; readonly phase: PoolPhase }
  | { readonly type: 'setWaiting'; readonly waiting: Omit<Waiting, 'since'> | undefined }
  | { readonly type: 'recordTime'; readonly at: number; readonly clock: number }
  /** A step of the pool is about to be taken. */
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
  /** Nothing is left to do but to watch for a while. */
  | { readonly type: 'setIdle' }
  | {
      readonly type: 'finishRun';
      readonly outcome: RunReport['outcome'];
      readonly at: number;
      readonly problem: Problem | undefined;
    };

/** Who asks for something, why, and when (epoch ms). */
export interface Asked {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** What operators ask for; a run pauses itself in the same way. */
export type OperatorEvent =
  | (Asked & { readonly type: 'pause' })
  | (Asked & { readonly type: 'resume' })
  | (Asked & { readonly type: 'abort' })
  | { readonly type: 'withdraw'; readonly updateId: string };

/** What must be rolled back, and that it is. */
export type RollbackEvent =
  | { readonly type: 'pushRollback'; readonly entry: RollbackEntry }
  /** All entries of a kind: what they stand for is meant to stay, or was never done. */
  | { readonly type: 'dropRollback'; readonly kind: RollbackEntry['kind'] }
  /** The newest entry: it has been rolled back. */
  | { readonly type: 'popRollback' }
  /** What the cloud did by itself on a pool and does no more. */
  | { readonly type: 'recordSuspended'; readonly pool: PoolRef; readonly suspended: readonly string[] }
  /** From now on the run goes backwards. */
  | { readonly type: 'beginRollback' };

/** How the workflow of a node ended. */
export type NodeEnd =
  | { readonly kind: 'answered'; readonly status: NodeStatus }
  | { readonly kind: 'cancelled' }
  /** It never began: another workflow has its ID. */
  | { readonly kind: 'runs-already'; readonly workflowId: string }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** What becomes of nodes. */
export type NodeEvent =
  | { readonly type: 'trackNodes'; readonly nodes: readonly NodeRef[] }
  | {
      readonly type: 'startNode';
      readonly node: NodeRef;
      readonly workflowId: string;
      readonly evidence: readonly Evidence[];
    }
  | { readonly type: 'setEvidence'; readonly name: string; readonly evidence: readonly Evidence[] }
  /** Its workflow says that it was put back. */
  | { readonly type: 'restoreNode'; readonly name: string }
  | {
      readonly type: 'endNode';
      readonly name: string;
      readonly end: NodeEnd;
      /** The run has cancelled it: coming back is what was wanted. */
      readonly isCancelled: boolean;
      /** How often the run had been resumed when it started. */
      readonly resumes: number;
      readonly clock: number;
    };

/** Who needs an operator, and who does no more. */
export type StallEvent =
  /** The run itself can't go on. */
  | { readonly type: 'stall'; readonly problem: Problem }
  | {
      readonly type: 'markStalled';
      readonly name: string;
      /** What it could not do. */
      readonly step: NodeStep;
      readonly problem: Problem;
      /** How many resumes of the run the node had heard of. */
      readonly resumes: number;
      /** The run has cancelled it: it goes back without anybody's help. */
      readonly isCancelled: boolean;
    }
  /** What a node waited for an operator for has come about without one. */
  | { readonly type: 'clearStalled'; readonly name: string };

/** New nodes, and what they are measured by. */
export type CapacityEvent =
  /** The new pool was asked to have so many machines. */
  | { readonly type: 'requestSize'; readonly size: number }
  | { readonly type: 'recordNewNodes'; readonly nodes: readonly NodeRef[]; readonly areRegistered: boolean }
  | { readonly type: 'recordBaselines'; readonly baselines: readonly ServiceBaseline[] }
  | { readonly type: 'setEvictedInstead'; readonly workloads: readonly string[] };

/** What the report has to tell. */
export type RecordEvent =
  | { readonly type: 'recordExternalChanges'; readonly changes: readonly ExternalChange[] }
  | { readonly type: 'recordUnprotected'; readonly what: readonly string[] }
  | { readonly type: 'recordRetained'; readonly what: readonly string[] };

/** What the monitor of traffic and lock finds. */
export type MonitorEvent =
  | { readonly type: 'startMonitor'; readonly isMeasuring: boolean }
  | { readonly type: 'recordTraffic'; readonly counts: TrafficCounts; readonly seenAt: number; readonly clock: number }
  | { readonly type: 'recordOutlook'; readonly outlook: Outlook }
  /** The lock was ours when the run had been resumed that often. */
  | { readonly type: 'confirmLock'; readonly resumes: number }
  /** What was lost before the last resume counts no more. */
  | { readonly type: 'acceptLosses' }
  /** More than the budget was lost; `reason` says by which probe and why it can be the run's doing. */
  | { readonly type: 'exceedBudget'; readonly reason: string; readonly at: number }
  | { readonly type: 'stopMonitor' };

/** Everything that can happen to a run. */
export type RunEvent =
  | PhaseEvent
  | OperatorEvent
  | RollbackEvent
  | NodeEvent
  | StallEvent
  | CapacityEvent
  | RecordEvent
  | MonitorEvent;

/** One of the events, by its type. */
export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;
