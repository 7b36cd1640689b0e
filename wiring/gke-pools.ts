import { findProject } from '../adapters/gcp/find-project.ts';
import { createGkeNodePools } from '../adapters/gke/node-pools.ts';
import { findMissingPermissions } from '../adapters/gke/permissions.ts';
import type { PoolRef } from '../core/model/pool.ts';
import { delegatePools } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePools } from '../ports/node-pools.ts';
import type { GoogleSettings } from './environment.ts';

/** How clusters of GKE are reached. */
interface GkeSettings {
  readonly clock: Clock;
  readonly google: GoogleSettings;
}

/** Node pools of GKE in any project: that of the pool, else that of the environment, else that of the credentials. */
export function openGkePools({ clock, google }: GkeSettings): NodePools {
  const opened = new Map<string, NodePools>();
  const projectOf = projects(google);
  return delegatePools(async (ref) => {
    const project = await projectOf(ref);
    const pools = opened.get(project) ?? createGkeNodePools({ ...google, clock, project });
    opened.set(project, pools);
    return pools;
  });
}

/** Asks in the project of a pool what a worker needs and the caller lacks. */
export function askGkePermissions({ clock, google }: GkeSettings) {
  const projectOf = projects(google);
  return async (ref: Pick<PoolRef, 'locator'>): Promise<readonly string[]> =>
    await findMissingPermissions({ ...google, clock, project: await projectOf(ref) });
}

function projects({ project }: GoogleSettings): (ref: Pick<PoolRef, 'locator'>) => Promise<string> {
  let usual = project;
  return async ({ locator }) => locator?.['project'] ?? (usual ??= await findProject());
}
