import type { Problem } from '../../core/model/problem.ts';
import { fitStatus } from '../../core/status/fit-status.ts';
import type { NodeStatus, RunReport, RunStatus } from '../../core/status/status.ts';
import { instanceMinutes } from '../../core/surge/instance-minutes.ts';
import { enter, type Run, timeOf } from './run.ts';
import { failWith } from './steps.ts';

/**
 * Ends a run with its report. Completed and aborted runs return it; a failed one, or one that could not put everything back,
 * @throws ApplicationFailure with the problem and the report.
 */
export function conclude(
  run: Run,
  outcome: RunReport['outcome'],
  leftBehind: readonly string[],
  problem?: Problem,
): RunReport {
  const { status } = run;
  const failure = problem ?? incomplete(status, leftBehind);
  // The last step of a completed run has answered; one that is aborted or fails may not have heard of a step for long.
  const now = outcome === 'completed' ? run.now : timeOf(run);
  status.finishedAt = now;
  status.needsAttention = failure;
  enter(run, failure === undefined ? outcome : 'failed');
  const report: RunReport = fitStatus({
    ...status,
    outcome: failure === undefined ? outcome : 'failed',
    makespanMs: (run.doneAt ?? now) - status.startedAt,
    newNodes: run.newNodes,
    instanceMinutes: instanceMinutes({ asked: run.asked, nodes: status.nodes, until: run.doneAt ?? now }),
    leftBehind: [...leftBehind, ...run.keptOnPurpose],
    notProtected: [...run.notProtected, ...notProtectedOn(status.nodes)],
  });
  if (failure !== undefined) throw failWith(failure, report);
  return report;
}

function notProtectedOn(nodes: readonly NodeStatus[]): readonly string[] {
  return nodes.flatMap(({ node, notProtected = [] }) => notProtected.map((what) => `${node.name}: ${what}`));
}

function incomplete({ cluster, pool }: RunStatus, leftBehind: readonly string[]): Problem | undefined {
  if (leftBehind.length === 0) return undefined;
  return {
    code: 'CompensationIncomplete',
    message: `not everything could be put back: ${leftBehind.join('; ')}`,
    hint: `Mend what is named, then take the rest away: nodeferry sweep ${cluster}/${pool} --yes`,
  };
}
