import { listNames } from '../../core/text/format.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { Check } from './check.ts';
import { explainFailure, type TimeLimit } from './time-limit.ts';

/** A cluster that also says what it is, and what the caller may do in it. */
export interface ExaminedCluster extends Cluster {
  /** Version of the API server. */
  readVersion(): Promise<string>;
  /** What a worker needs and the caller lacks. */
  findMissingPermissions(): Promise<readonly string[]>;
}

/** The ServiceAccount of deploy/rbac. */
const workerAccount = 'system:serviceaccount:nodeferry:nodeferry';

/** Checks that the API server can be reached with the caller's credentials. */
export async function checkApiServer(cluster: ExaminedCluster, limit: TimeLimit): Promise<Check> {
  const id = 'cluster.api-server';
  try {
    const version = await limit.race('ClusterUnreachable', cluster.readVersion());
    return { id, state: 'ok', found: `Kubernetes ${version}` };
  } catch (error) {
    return { id, state: 'failed', ...explainFailure(error) };
  }
}

/** Checks what the caller may do. The worker has a role of its own, so nothing here is worse than a warning. */
export async function checkPermissions(cluster: ExaminedCluster): Promise<readonly Check[]> {
  const id = 'cluster.permissions';
  const missing = await cluster.findMissingPermissions();
  if (missing.length === 0) return [{ id, state: 'ok', found: 'your role allows everything that a worker needs' }];
  return [
    {
      id,
      state: 'warning',
      found: `your role does not allow what a worker needs: ${listNames(missing, 5)}`,
      fix: `A worker has its own role (deploy/rbac). See what that allows:\nkubectl auth can-i --list --as=${workerAccount}`,
    },
  ];
}
