import type { Problem } from '../model/problem.ts';
import { recordAccepted } from '../plan/acceptance.ts';
import type { NodeStatus, RunReport, RunStatus } from '../status/status.ts';
import { instanceMinutes } from '../surge/instance-minutes.ts';
import type { RunState } from './state.ts';

/** The report of a run that is over, with what could not be rolled back. */
export function reportOf(state: RunState, outcome: RunReport['outcome'], leftovers: readonly string[]): RunReport {
  const { status, newNodes, requested, requestedOld, plan } = state;
  const accepted = plan === undefined ? [] : recordAccepted(plan.findings, plan.policy);
  const until = state.idleAt ?? status.finishedAt ?? state.now;
  return {
    ...status,
    outcome,
    durationMs: until - status.startedAt,
    newNodes,
    instanceMinutes: instanceMinutes({ requested: [...requested, ...requestedOld], nodes: status.nodes, until }),
    leftovers: [...leftovers, ...state.retained],
    ...(accepted.length === 0 ? {} : { accepted }),
    unprotected: [...state.unprotected, ...unprotectedOn(status.nodes)],
  };
}

function unprotectedOn(nodes: readonly NodeStatus[]): readonly string[] {
  return nodes.flatMap(({ node, unprotected = [] }) => unprotected.map((what) => `${node.name}: ${what}`));
}

/** The problem of a run that reached its end but could not roll everything back; undefined when it could. */
export function rollbackProblem({ cluster, pool }: RunStatus, leftovers: readonly string[]): Problem | undefined {
  if (leftovers.length === 0) return undefined;
  return {
    code: 'RollbackIncomplete',
    message: `not everything could be restored: ${leftovers.join('; ')}`,
    hint: `Fix what is named, then remove the rest: nodeferry cleanup ${cluster}/${pool} --yes`,
  };
}
