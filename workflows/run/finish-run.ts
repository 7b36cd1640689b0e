import type { Problem } from '../../core/model/problem.ts';
import { reportOf, rollbackProblem } from '../../core/run/report.ts';
import { timeAt } from '../../core/run/state.ts';
import type { RunReport } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import { apply, publishPhase, type Run } from './run.ts';
import { failWith } from './steps.ts';

/**
 * Ends a run with its report. Completed and aborted runs return it. A run that failed, or that could not roll everything back,
 * @throws ApplicationFailure with the problem and the report.
 */
export function finishRun(
  run: Run,
  wanted: RunReport['outcome'],
  leftovers: readonly string[],
  problem?: Problem,
): RunReport {
  const failure = problem ?? rollbackProblem(run.state.status, leftovers);
  const outcome = failure === undefined ? wanted : 'failed';
  // A completed run ends with the answer of its last step. An aborted or failed run may have had no answer for a long time.
  const at = wanted === 'completed' ? run.state.now : timeAt(run.state, Date.now());
  apply(run, { type: 'finishRun', outcome, at, problem: failure });
  publishPhase(run);
  const report = truncateStatus(reportOf(run.state, outcome, leftovers));
  if (failure !== undefined) throw failWith(failure, report);
  return report;
}
