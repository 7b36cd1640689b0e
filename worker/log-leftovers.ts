import type { Logger } from 'pino';
import { findRunsWithLeftovers } from '../core/cleanup/find-runs.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { Cluster } from '../ports/cluster.ts';

/** Says once, when a worker starts, whose marks are on the cluster: of runs that go on, or of one that was terminated. */
export async function logLeftovers(cluster: Pick<Cluster, 'observe'>, logger: Logger): Promise<void> {
  try {
    const runs = findRunsWithLeftovers(await cluster.observe());
    if (runs.length === 0) return;
    logger.info(
      { runs },
      'nodes carry labels or annotations of these runs; if one of them is over, see: nodeferry cleanup CLUSTER/POOL',
    );
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    logger.warn({ problem: error.problem }, 'the cluster could not be observed');
  }
}
