import { findProject } from '../adapters/gcp/find-project.ts';
import { createGkeNodePools } from '../adapters/gke/node-pools.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePoolProvider } from '../ports/node-pools.ts';
import type { GoogleSettings } from './google-settings.ts';

/** Node pools of GKE in any project: that of the pool, else that of the environment, else that of the credentials. */
export function openGkePools({
  clock,
  google,
}: {
  readonly clock: Clock;
  readonly google: GoogleSettings;
}): NodePoolProvider {
  let usual = google.project;
  const project = async ({ locator }: Pick<PoolRef, 'locator'>) =>
    locator?.['project'] ?? (usual ??= await findProject());
  return createGkeNodePools({ ...google, clock, project });
}
