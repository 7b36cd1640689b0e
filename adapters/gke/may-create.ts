import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { TargetPolicy } from '../../core/policy/policy.ts';
import { type GkeClients, readGke } from './clients.ts';
import { locationName, poolSubject } from './names.ts';
import { findVersionProblem } from './node-version.ts';
import { readCluster, requireNodePool } from './observe.ts';
import type { NodePoolMessage } from './settings-label.ts';

/**
 * Checks before anything is changed whether GKE would create such a replacement. @throws NodeferryError ProviderRefused for an Autopilot cluster, a
 * pool that GKE manages or upgrades itself, and a version that it does not offer: GKE withdraws earlier patches, also that of the pool
 */
export async function requireMayCreate(clients: GkeClients, source: PoolRef, target: TargetPolicy): Promise<void> {
  const cluster = await readCluster(clients, source);
  if (cluster.autopilot?.enabled === true) {
    throw refused(
      source,
      'its cluster is an Autopilot cluster, whose node pools belong to GKE: "Autopilot node pools cannot be accessed or modified"',
      'Let GKE upgrade the nodes; maintenance windows and exclusions of the cluster decide when.',
    );
  }
  const pool = await requireNodePool(clients, source);
  requireQuiet(source, pool);
  requireKnownFields(source, target);
  await requireVersion(clients, source, {
    wanted: target['releaseVersion'] ?? target.version,
    own: pool.version ?? '',
    controlPlane: cluster.currentMasterVersion ?? '',
  });
}

function requireQuiet(source: PoolRef, pool: NodePoolMessage): void {
  if (pool.autoscaling?.autoprovisioned === true) {
    throw refused(source, 'node auto-provisioning has created it and removes it again', 'Let GKE replace its nodes.');
  }
  if (pool.queuedProvisioning?.enabled === true) {
    throw refused(
      source,
      'its nodes are obtained by ProvisioningRequests only (queued provisioning), which nodeferry does not make',
      'Leave it to the jobs that request its nodes.',
    );
  }
  const phase = pool.updateInfo?.blueGreenInfo?.phase;
  if (phase !== undefined && phase !== null && phase !== 'PHASE_UNSPECIFIED') {
    throw refused(
      source,
      `a blue-green upgrade of it is in progress (${phase})`,
      `Complete it (gcloud container node-pools complete-upgrade ${source.name}) or roll it back, then start the run.`,
    );
  }
}

function requireKnownFields(source: PoolRef, { launchTemplateVersion }: TargetPolicy): void {
  if (launchTemplateVersion === undefined) return;
  throw refused(source, 'GKE has no launch templates', 'Leave target.launchTemplateVersion out of the policy.');
}

async function requireVersion(
  clients: GkeClients,
  source: PoolRef,
  versions: { readonly wanted: string | undefined; readonly own: string; readonly controlPlane: string },
): Promise<void> {
  const name = locationName(clients.project, source);
  const { validNodeVersions } = await readGke(clients, 'container.clusters.list', name, (gke, options) =>
    gke.getServerConfig({ name }, options),
  );
  const problem = findVersionProblem({ ...versions, offered: validNodeVersions ?? [] });
  if (problem !== undefined) throw refused(source, problem.why, problem.hint);
}

function refused(source: PoolRef, why: string, hint: string): NodeferryError {
  return new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(source)} can't be replaced as asked: ${why}`,
    hint,
  });
}
