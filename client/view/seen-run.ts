import type { RunStatus } from '../../core/status/status.ts';
import { formatTime } from '../../core/text/format.ts';

/** Temporal's state of a run's workflow: running, or how it ended, whatever the run itself could still report. */
export interface WorkflowState {
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out';
  /** Epoch ms; absent while it runs. */
  readonly closedAt?: number;
  /** Who ended it, according to Temporal. */
  readonly by?: string;
  readonly reason?: string;
}

/** A run as a client observes it. */
export interface SeenRun extends RunStatus {
  /** Absent if only the run was asked. */
  readonly workflow?: WorkflowState;
  /** What the run could not restore; absent while it is under way, and if it has left no report. */
  readonly leftovers?: readonly string[];
}

/** A run whose workflow was ended from outside: nothing was restored, and nothing continues it. */
export function isCutOff({ workflow }: SeenRun): boolean {
  return workflow !== undefined && !['running', 'completed', 'failed'].includes(workflow.state);
}

/** The state of the run in one or two words, the worst first. */
export function stateOf(run: SeenRun): string {
  const { workflow, phase, actions } = run;
  if (workflow !== undefined && isCutOff(run)) return workflow.state.replaceAll('-', ' ');
  if (phase === 'failed' || workflow?.state === 'failed') return 'failed';
  if (phase === 'completed' || phase === 'aborted') return phase;
  if (phase === 'rolled-back') return 'rolled back';
  if (run.paused) return 'paused';
  if (run.stalled) return 'stalled';
  if (run.approval) return 'waiting for approval';
  // The run itself reports this only when its current activity has stopped.
  if (run.rollback) return phase === 'rolling-back' ? `rolling back to ${run.pool}` : `rolling back (was in ${phase})`;
  if (phase !== 'rolling-back' && actions.some(({ action }) => action === 'abort')) return `aborting (was in ${phase})`;
  return phase;
}

/** Whether the run continues only when an operator does something. */
export function needsOperator({ stalled, paused, approval }: RunStatus): boolean {
  return stalled !== undefined || paused !== undefined || approval !== undefined;
}

/** What to do about a run that has failed, or has ended without a report. Never a command that only a running run can receive. */
export function nextSteps(run: SeenRun, leftovers: readonly string[] = run.leftovers ?? []): string[] {
  const name = `${run.cluster}/${run.pool}`;
  if (isCutOff(run)) {
    return [
      'Nothing was restored. Nodes in progress restore themselves or finish: wait for their workflows.',
      `then: see what is left: nodeferry cleanup ${name}   and remove it: nodeferry cleanup ${name} --yes`,
    ];
  }
  if (stateOf(run) !== 'failed') return [];
  if (leftovers.length > 0) return [`The run has ended. Remove the leftovers: nodeferry cleanup ${name} --yes`];
  const again = run.drain === undefined ? 'nodeferry upgrade -f POLICY' : 'nodeferry drain NODE…';
  return [`The run has ended without leftovers. Once the cause is fixed: ${again}`];
}

/** Says how a run ended that has left no report, and what to do about it. */
export function explainEnd(run: SeenRun): string[] {
  const { workflow, cluster, pool } = run;
  const by = workflow?.by === undefined ? '' : ` by ${workflow.by}`;
  const at = workflow?.closedAt === undefined ? '' : ` at ${formatTime(workflow.closedAt)} UTC`;
  const why = workflow?.reason === undefined ? '' : `: ${workflow.reason}`;
  return [
    `The run of ${cluster}/${pool} has ended without a report: ${stateOf(run)}${by}${at}${why}`,
    ...nextSteps(run),
  ];
}
