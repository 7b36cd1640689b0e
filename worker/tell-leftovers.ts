import type { Logger } from 'pino';
import { NodeferryError } from '../core/model/problem.ts';
import { findMarkedRuns } from '../core/sweep/find-runs.ts';
import type { Cluster } from '../ports/cluster.ts';

/** Says once, when a worker starts, whose marks are on the cluster: of runs that go on, or of one that was terminated. */
export async function tellLeftovers(cluster: Pick<Cluster, 'observe'>, logger: Logger): Promise<void> {
  try {
    const runs = findMarkedRuns(await cluster.observe());
    if (runs.length === 0) return;
    logger.info({ runs }, 'nodes carry marks of these runs; if one of them is over, see: nodeferry sweep CLUSTER/POOL');
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    logger.warn({ problem: error.problem }, 'the cluster could not be looked at');
  }
}
