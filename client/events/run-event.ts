import type { Problem } from '../../core/model/problem.ts';
import type { Evidence } from '../../core/status/status.ts';
import type { PoolPhase } from '../../core/steps/pool-phases.ts';

/** What can happen in a run, as its log tells it. */
export const eventTypes = [
  'run-started',
  'phase-entered',
  'step-started',
  'step-ended',
  'step-failed',
  'step-cancelled',
  'node-excluded',
  'node-replaced',
  'node-drained',
  'node-removed',
  'node-skipped',
  'node-restored',
  'node-failed',
  'stalled',
  'stall-ended',
  'approval-requested',
  'operator-action',
  'external-change',
  'run-ended',
] as const;

/** How a run can end, as Temporal tells it: with its own outcome, or from outside. */
export const runEnds = [
  'completed',
  'aborted',
  'rolled-back',
  'failed',
  'terminated',
  'timed-out',
  'cancelled',
] as const;

/** One of the ends of a run. */
export type RunEnd = (typeof runEnds)[number];

/** What has happened, without the run and the time. */
export interface Happening {
  readonly type: (typeof eventTypes)[number];
  /** In a sentence, without the name of the node. */
  readonly message: string;
  /** Absent for what is about the whole run. */
  readonly node?: string;
  /** The phase that began. */
  readonly phase?: PoolPhase;
  /** The step of a node; of the run, the name of its activity in Temporal. */
  readonly step?: string;
  /** What an operator asked for, or the run itself. */
  readonly action?: string;
  /** What was approved, or is to be; what an action was about. */
  readonly of?: string;
  readonly by?: string;
  readonly reason?: string;
  /** Epoch ms until which the run waits for an approval. */
  readonly until?: number;
  readonly problem?: Problem;
  /** What was observed. */
  readonly evidence?: readonly Evidence[];
  readonly outcome?: RunEnd;
  /** Epoch ms at which it was observed, if that is not when Temporal recorded it. */
  readonly observedAt?: number;
}

/** One event of a run. */
export interface LoggedEvent extends Omit<Happening, 'observedAt'> {
  /** The same whenever the event is read again. */
  readonly id: string;
  /** Epoch ms at which Temporal recorded it; for an external change, at which it was observed. */
  readonly at: number;
  readonly cluster: string;
  readonly pool: string;
  readonly run: string;
}
