import { isLive, type PoolRef } from '../../core/model/pool.ts';
import { requireNoInstances } from '../calls/pool-refusals.ts';
import { hasCode } from '../gcp/retry.ts';
import { changeGke, type GkeClients, readGke } from './clients.ts';
import { mapInstances } from './map.ts';
import { clusterName, poolName, poolSubject } from './names.ts';
import { findNodePool, findPool, type PoolObservation } from './observe.ts';
import { change } from './operations.ts';
import { setExclusion } from './settings.ts';
import {
  labelValue,
  type NodePoolMessage,
  nodeLabels,
  ownersLimitsLabel,
  replacesLabel,
  resourceLabels,
} from './settings-label.ts';
import { requireCreator } from './sizes.ts';
import { restoreScaling } from './suspend.ts';

/**
 * GKE deletes a node pool with all its VMs, and drains them itself. A pool that still has VMs is therefore not deleted. What the run has changed elsewhere for
 * its sake is restored also when somebody else has deleted it, and whatever its label says: people who write labels as code remove that of others.
 */
export async function deletePool(
  clients: GkeClients,
  ref: PoolRef,
  onlyIfCreatedBy: string | undefined,
): Promise<void> {
  const observation = await findPool(clients, ref);
  if (observation?.pool.status === 'STOPPING') return;
  if (observation !== undefined) requireDeletable(observation, onlyIfCreatedBy);
  if (onlyIfCreatedBy === undefined) await endReplacement(clients, ref);
  await setExclusion(clients, ref, 'absent');
  if (observation !== undefined) await requestDeletion(clients, ref, onlyIfCreatedBy);
}

function requireDeletable(observation: PoolObservation, onlyIfCreatedBy: string | undefined): void {
  if (onlyIfCreatedBy === undefined)
    requireNoInstances(poolSubject(observation.ref), mapInstances(observation.groups).filter(isLive));
  else requireCreator(observation, onlyIfCreatedBy, 'is not deleted');
}

/** The pools that replace this one are in use now: their autoscalers may shrink them again as their owner chose. */
async function endReplacement(clients: GkeClients, ref: PoolRef): Promise<void> {
  for (const pool of await listReplacements(clients, ref)) {
    const name = pool.name ?? '';
    if (nodeLabels(pool)[ownersLimitsLabel] !== undefined) await restoreScaling(clients, { ...ref, name }, undefined);
  }
}

/** Pools that runs have created to replace this one. */
export async function listReplacements(clients: GkeClients, ref: PoolRef): Promise<readonly NodePoolMessage[]> {
  const parent = clusterName(clients.project, ref);
  const { nodePools } = await readGke(clients, 'container.clusters.get', `cluster ${ref.cluster}`, (gke, options) =>
    gke.listNodePools({ parent }, options),
  );
  return (nodePools ?? []).filter((pool) => resourceLabels(pool)[replacesLabel] === labelValue(ref.name));
}

/**
 * Requests the deletion, and returns when GKE has begun it. The client itself repeats the request when an answer is lost, and may then meet the
 * operation that it has started. Before each request the pool is read once more: the operations until then take minutes, in which an autoscaler may have
 * raised it.
 */
async function requestDeletion(clients: GkeClients, ref: PoolRef, onlyIfCreatedBy: string | undefined): Promise<void> {
  const name = poolName(clients.project, ref);
  await change(clients, ref, {
    what: 'deletion',
    needNotEnd: true,
    isDone: async () => {
      const pool = await findNodePool(clients, ref);
      return pool === undefined || pool.status === 'STOPPING';
    },
    request: async () => {
      const observation = await findPool(clients, ref);
      if (observation !== undefined) requireDeletable(observation, onlyIfCreatedBy);
      try {
        return await changeGke(clients, 'container.clusters.update', poolSubject(ref), (gke, options) =>
          gke.deleteNodePool({ name }, options),
        );
      } catch (error) {
        if (hasCode(error, 'PoolNotFound')) return { status: 'DONE' };
        throw error;
      }
    },
  });
}
