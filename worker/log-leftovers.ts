import type { Logger } from 'pino';
import { findRunsWithLeftovers } from '../core/cleanup/find-runs.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';

/** Logs once, when a worker starts, which runs have ownership marks in the cluster: runs in progress, or runs that were terminated. */
export async function logLeftovers(cluster: Pick<ClusterObserver, 'observe'>, logger: Logger): Promise<void> {
  try {
    const runs = findRunsWithLeftovers(await cluster.observe());
    if (runs.length === 0) return;
    logger.info(
      { runs },
      'nodes have labels, annotations or taints of these runs; if one of them is over, see: nodeferry cleanup CLUSTER/POOL',
    );
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    logger.warn({ problem: error.problem }, 'the cluster could not be observed');
  }
}
