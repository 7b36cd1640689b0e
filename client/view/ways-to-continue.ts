import type { RunStatus } from '../../core/status/status.ts';

/** The commands that let a stalled run continue, or end it: only such as it would take. None for a missing approval, whose own hint has them. */
export function waysToContinue(status: RunStatus): readonly string[] {
  const { cluster, pool, stalled, approval, nodes } = status;
  if (stalled === undefined || (approval !== undefined && stalled.code === 'ApprovalMissing')) return [];
  const name = `${cluster}/${pool}`;
  const abort = mayBeAborted(status) ? [`nodeferry abort ${name}`] : [];
  const node = nodes.find(({ problem }) => problem !== undefined)?.node.name;
  const lines = [`then: ${[`nodeferry resume ${name}`, ...abort].join('   or: ')}`];
  if (node === undefined) return lines;
  const skip = maySkip(status) ? [`nodeferry skip ${name} --node ${node} --reason <why>`] : [];
  return [...lines, `for one node: ${[`nodeferry retry ${name} --node ${node}`, ...skip].join('   or: ')}`];
}

/** The run restores the old pool, because somebody or its policy aborted it, rolled it back or rejected it. */
function isGoingBack({ phase, rollback, actions }: RunStatus): boolean {
  const isEnded = actions.some(({ action }) => action === 'abort' || action === 'reject');
  return phase === 'rolling-back' || rollback !== undefined || isEnded;
}

/** As the run itself decides it (whyNoAbort), as far as its status tells. */
function mayBeAborted(status: RunStatus): boolean {
  return status.phase !== 'finalize' && (!isGoingBack(status) || status.rollback !== undefined);
}

/** As the run itself decides it (whyNotSkip). */
function maySkip(status: RunStatus): boolean {
  return status.drain === undefined && status.phase !== 'finalize' && !isGoingBack(status);
}
