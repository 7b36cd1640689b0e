import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { readGoogleError } from '../gcp/read-error.ts';
import { changeGke, type GkeClients } from './clients.ts';
import { type CloneRequest, cloneNodePool } from './clone.ts';
import { initialSize, isCapacityProblem, mapConditions } from './map.ts';
import { clusterName, poolSubject } from './names.ts';
import { findNodePool, requireNodePool } from './observe.ts';
import { change } from './operations.ts';
import { createdByLabel, labelValue, type NodePoolMessage, resourceLabels } from './settings-label.ts';
import { resize } from './sizes.ts';

/**
 * Creates the replacement, and returns when GKE has begun to. GKE knows no idempotency token: a pool of that name that this run created is the result
 * of an earlier attempt. One that may never have more instances than asked for, where GKE would create as many in each zone, is created without any and
 * then grows. @throws NodeferryError ProviderRefused for a pool that somebody else created; CapacityUnavailable for one that failed for lack
 * of resources, or that the quota does not allow
 */
export async function createPool(clients: GkeClients, source: PoolRef, request: CloneRequest): Promise<void> {
  const wanted: PoolRef = { ...source, name: request.target.poolName };
  const isThere = async () => {
    const existing = await findNodePool(clients, wanted);
    if (existing === undefined) return false;
    acceptExisting(wanted, existing, request.run);
    return true;
  };
  if (!(await isThere())) await requestPool(clients, source, { wanted, isThere, request });
  // One that was created without instances.
  if (initialSize(await requireNodePool(clients, wanted)) < request.size) await resize(clients, wanted, request);
}

async function requestPool(
  clients: GkeClients,
  source: PoolRef,
  { wanted, isThere, request }: { wanted: PoolRef; isThere: () => Promise<boolean>; request: CloneRequest },
): Promise<void> {
  const nodePool = cloneNodePool(await requireNodePool(clients, source), request);
  const parent = clusterName(clients.project, source);
  await change(clients, wanted, {
    what: 'creation',
    needNotEnd: initialSize(nodePool) >= request.size,
    isDone: isThere,
    request: async () => {
      try {
        return await changeGke(clients, 'container.clusters.update', poolSubject(wanted), (gke, options) =>
          gke.createNodePool({ parent, nodePool }, options),
        );
      } catch (error) {
        if (readGoogleError((error as Error).cause).rpc !== 'ALREADY_EXISTS') throw error;
        await isThere();
        return { status: 'DONE' };
      }
    },
  });
}

/** Accepts an existing pool if this run created it and it can still become complete. */
function acceptExisting(wanted: PoolRef, existing: NodePoolMessage, run: string): void {
  const creator = resourceLabels(existing)[createdByLabel];
  if (creator !== labelValue(run)) {
    const whose = creator === undefined ? 'was not created by nodeferry' : `was created by run ${creator}`;
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `${poolSubject(wanted)} exists already and ${whose}`,
      hint: 'Choose another target.poolName in the policy, or delete that node pool if it is not needed.',
    });
  }
  if (existing.status !== 'ERROR' && existing.status !== 'STOPPING') return;
  const problems = mapConditions(existing);
  throw new NodeferryError({
    code: problems.some(isCapacityProblem) ? 'CapacityUnavailable' : 'ProviderRefused',
    message: `${poolSubject(wanted)} is ${existing.status}: ${problems.join('; ') || 'GKE gives no reason'}`,
    hint: 'A node pool in this state never gets its instances: abort the run, or delete the node pool and resume.',
  });
}
