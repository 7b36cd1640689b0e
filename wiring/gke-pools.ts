import { findProject } from '../adapters/gcp/find-project.ts';
import { createGkeNodePools } from '../adapters/gke/node-pools.ts';
import { delegatePools } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePools } from '../ports/node-pools.ts';
import type { GoogleSettings } from './environment.ts';

/** Node pools of GKE in any project: that of the pool, else that of the environment, else that of the credentials. */
export function openGkePools({ clock, google }: { readonly clock: Clock; readonly google: GoogleSettings }): NodePools {
  const opened = new Map<string, NodePools>();
  let usual = google.project;
  return delegatePools(async ({ locator }) => {
    const project = locator?.['project'] ?? (usual ??= await findProject());
    const pools = opened.get(project) ?? createGkeNodePools({ ...google, clock, project });
    opened.set(project, pools);
    return pools;
  });
}
