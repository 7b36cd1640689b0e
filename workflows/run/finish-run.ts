import type { Problem } from '../../core/model/problem.ts';
import type { NodeStatus, RunReport, RunStatus } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import { instanceMinutes } from '../../core/surge/instance-minutes.ts';
import { type Run, setPhase, timeOf } from './run.ts';
import { failWith } from './steps.ts';

/**
 * Ends a run with its report. Completed and aborted runs return it; a failed one, or one that could not put everything back,
 * @throws ApplicationFailure with the problem and the report.
 */
export function finishRun(
  run: Run,
  outcome: RunReport['outcome'],
  leftovers: readonly string[],
  problem?: Problem,
): RunReport {
  const { status } = run;
  const failure = problem ?? incomplete(status, leftovers);
  // The last step of a completed run has answered; one that is aborted or fails may not have heard of a step for long.
  const now = outcome === 'completed' ? run.now : timeOf(run);
  status.finishedAt = now;
  status.stalled = failure;
  setPhase(run, failure === undefined ? outcome : 'failed');
  const report: RunReport = truncateStatus({
    ...status,
    outcome: failure === undefined ? outcome : 'failed',
    durationMs: (run.idleAt ?? now) - status.startedAt,
    newNodes: run.newNodes,
    instanceMinutes: instanceMinutes({ requested: run.requested, nodes: status.nodes, until: run.idleAt ?? now }),
    leftovers: [...leftovers, ...run.retained],
    unprotected: [...run.unprotected, ...unprotectedOn(status.nodes)],
  });
  if (failure !== undefined) throw failWith(failure, report);
  return report;
}

function unprotectedOn(nodes: readonly NodeStatus[]): readonly string[] {
  return nodes.flatMap(({ node, unprotected = [] }) => unprotected.map((what) => `${node.name}: ${what}`));
}

function incomplete({ cluster, pool }: RunStatus, leftovers: readonly string[]): Problem | undefined {
  if (leftovers.length === 0) return undefined;
  return {
    code: 'RollbackIncomplete',
    message: `not everything could be restored: ${leftovers.join('; ')}`,
    hint: `Fix what is named, then remove the rest: nodeferry cleanup ${cluster}/${pool} --yes`,
  };
}
